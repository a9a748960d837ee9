-- SPDX-License-Identifier: MIT
-- The address in sender, without the name, for lists of a sender's emails. The server computes it, for rows of earlier
-- versions too.
ALTER TABLE email
	ADD COLUMN IF NOT EXISTS sender_address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci
		GENERATED ALWAYS AS (LEFT(CONVERT(TRIM(TRAILING '>' FROM SUBSTRING_INDEX(sender, '<', -1)) USING ascii), 254))
		STORED,
	ADD INDEX IF NOT EXISTS sender (workspace_id, sender_address, id);
