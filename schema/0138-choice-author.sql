-- SPDX-License-Identifier: MIT
-- A choice is that of a person who wants no mailings at all, or of an operator for that person. author: see enum
-- store_consent_author; the person's own outweighs the operator's.
-- is_operated: an operator has said so, too, which stands when the person takes back the own choice.
ALTER TABLE choice
	ADD COLUMN IF NOT EXISTS author TINYINT NOT NULL DEFAULT 1,
	ADD COLUMN IF NOT EXISTS is_operated TINYINT NOT NULL DEFAULT 0;

-- The topics and audiences that a person left on the page of one email, or by its button: the page takes back only these.
-- target_id: as in choice_part.
CREATE TABLE IF NOT EXISTS choice_undo (
	workspace_id BINARY(16) NOT NULL,
	person VARBINARY(254) NOT NULL,
	target_id BINARY(16) NOT NULL,
	email_id BINARY(16) NOT NULL,
	recipient SMALLINT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, person, target_id, email_id, recipient)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- As long as the User-Agent of an event.
ALTER TABLE consent
	MODIFY COLUMN IF EXISTS user_agent VARCHAR(512) NULL;
