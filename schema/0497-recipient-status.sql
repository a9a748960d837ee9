-- SPDX-License-Identifier: MIT
-- Lists find recipients of rare statuses by rows of their own, so that a recipient that is sent to and delivered has no entry of a key.
-- The rows of recipients from before come with 0498.
CREATE TABLE IF NOT EXISTS recipient_status (
	workspace_id BINARY(16) NOT NULL,
	status TINYINT NOT NULL,
	email_id BINARY(16) NOT NULL,
	number SMALLINT NOT NULL,
	PRIMARY KEY (workspace_id, status, email_id, number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
