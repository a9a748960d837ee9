-- SPDX-License-Identifier: MIT
-- The address in sender, without the name, for lists of a sender's emails. The server computes it, for rows of earlier
-- versions too.
ALTER TABLE email
	ADD COLUMN IF NOT EXISTS sender_address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci
		GENERATED ALWAYS AS (LEFT(CONVERT(TRIM(TRAILING '>' FROM SUBSTRING_INDEX(sender, '<', -1)) USING ascii), 254))
		STORED,
	ADD INDEX IF NOT EXISTS sender (workspace_id, sender_address, id);

-- The tags of emails, each with a row, for lists of the emails that have one; email.tags has them all.
CREATE TABLE IF NOT EXISTS email_tag (
	email_id BINARY(16) NOT NULL,
	name VARCHAR(256) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	value VARCHAR(256) NOT NULL,
	PRIMARY KEY (email_id, name),
	KEY name (workspace_id, name, email_id),
	KEY value (workspace_id, name, value, email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Emails of earlier versions.
INSERT IGNORE INTO email_tag (email_id, name, workspace_id, value)
	SELECT e.id, k.name, e.workspace_id, v.value FROM email e
	JOIN JSON_TABLE(JSON_KEYS(e.tags), '$[*]' COLUMNS (n FOR ORDINALITY, name VARCHAR(256) PATH '$')) k
	JOIN JSON_TABLE(JSON_EXTRACT(e.tags, '$.*'), '$[*]' COLUMNS (n FOR ORDINALITY, value VARCHAR(256) PATH '$')) v
	ON v.n = k.n
	WHERE e.tags IS NOT NULL;
