-- SPDX-License-Identifier: MIT
-- Drafts of templates. A row of template is the version that is sent; is_draft: it was never published, and /v1 does not
-- see it. alias: a name beside the id. sender, reply_to: of emails that have none. declared: JSON, the variables with
-- type and fallback; NULL: made in /v1, which has only defaults. version: a UUID of the content; NULL: sequence.
ALTER TABLE template MODIFY COLUMN subject VARCHAR(998) NULL;
ALTER TABLE template ADD COLUMN IF NOT EXISTS is_draft TINYINT NOT NULL DEFAULT 0;
ALTER TABLE template ADD COLUMN IF NOT EXISTS alias VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL;
ALTER TABLE template ADD COLUMN IF NOT EXISTS sender VARCHAR(998) NULL;
ALTER TABLE template ADD COLUMN IF NOT EXISTS reply_to MEDIUMTEXT NULL;
ALTER TABLE template ADD COLUMN IF NOT EXISTS declared MEDIUMTEXT NULL;
ALTER TABLE template ADD COLUMN IF NOT EXISTS version BINARY(16) NULL;
ALTER TABLE template ADD UNIQUE KEY IF NOT EXISTS alias (workspace_id, alias);

-- The changes of a published template that are not published yet: the whole next version. id: of the template.
CREATE TABLE IF NOT EXISTS template_draft (
	workspace_id BINARY(16) NOT NULL,
	id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
	version BINARY(16) NOT NULL,
	name VARCHAR(100) NOT NULL,
	subject VARCHAR(998) NULL,
	html BINARY(32) NOT NULL,
	text BINARY(32) NULL,
	sender VARCHAR(998) NULL,
	reply_to MEDIUMTEXT NULL,
	declared MEDIUMTEXT NULL,
	variables MEDIUMTEXT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, id),
	KEY html (workspace_id, html),
	KEY text (workspace_id, text),
	CONSTRAINT template_draft_html FOREIGN KEY (workspace_id, html) REFERENCES body (workspace_id, hash),
	CONSTRAINT template_draft_text FOREIGN KEY (workspace_id, text) REFERENCES body (workspace_id, hash),
	CONSTRAINT template_draft_of FOREIGN KEY (workspace_id, id) REFERENCES template (workspace_id, id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
