-- SPDX-License-Identifier: MIT
-- Templates. id may be the caller's own. variables: JSON object, the defaults. sequence: a UUID version 7, the order of
-- creation.
CREATE TABLE IF NOT EXISTS template (
	workspace_id BINARY(16) NOT NULL,
	id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
	name VARCHAR(100) NOT NULL,
	subject VARCHAR(100) NULL,
	html BINARY(32) NOT NULL,
	text BINARY(32) NULL,
	variables MEDIUMTEXT NOT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	sequence BINARY(16) NOT NULL,
	PRIMARY KEY (workspace_id, id),
	UNIQUE KEY newest (workspace_id, sequence),
	KEY html (workspace_id, html),
	KEY text (workspace_id, text),
	CONSTRAINT template_html FOREIGN KEY (workspace_id, html) REFERENCES body (workspace_id, hash),
	CONSTRAINT template_text FOREIGN KEY (workspace_id, text) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
