-- SPDX-License-Identifier: MIT
-- The rules of sending that a workflow gave an email.
CREATE TABLE IF NOT EXISTS email_sending (
	email_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	rules TEXT NOT NULL,
	PRIMARY KEY (email_id),
	CONSTRAINT email_sending_of FOREIGN KEY (email_id) REFERENCES email (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
