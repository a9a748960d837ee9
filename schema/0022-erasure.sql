-- SPDX-License-Identifier: MIT
-- Emails of which one recipient was erased while others had still to get it: their contents go when nothing of them has to leave.
CREATE TABLE IF NOT EXISTS erasure (
	email_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
