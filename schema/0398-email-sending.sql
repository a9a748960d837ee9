-- SPDX-License-Identifier: MIT
-- The rules of sending that a workflow gave an email. Earlier versions of this step added a foreign key to the email, which 0491 takes away.
CREATE TABLE IF NOT EXISTS email_sending (
	email_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	rules TEXT NOT NULL,
	PRIMARY KEY (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
