-- SPDX-License-Identifier: MIT
-- The topic that an email is about, and the workflow that sends it; NULL: none.
ALTER TABLE email
	ADD COLUMN IF NOT EXISTS topic_id BINARY(16) NULL,
	ADD COLUMN IF NOT EXISTS workflow_id BINARY(16) NULL;

-- The recipients of mailings whose email was removed: their links go on to work. sender: of the email.
CREATE TABLE IF NOT EXISTS reader_kept (
	email_id BINARY(16) NOT NULL,
	number SMALLINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	sender TEXT NOT NULL,
	topic_id BINARY(16) NULL,
	PRIMARY KEY (email_id, number),
	KEY address (workspace_id, address)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
