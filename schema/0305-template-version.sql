-- SPDX-License-Identifier: MIT
-- The newest versions of published templates, the one that is sent included; a template that was not changed since has none.
CREATE TABLE IF NOT EXISTS template_version (
	workspace_id BINARY(16) NOT NULL,
	sequence BINARY(16) NOT NULL,
	version INT NOT NULL,
	created BIGINT NOT NULL,
	created_by VARCHAR(254) NULL,
	name VARCHAR(100) NOT NULL,
	subject VARCHAR(998) NULL,
	html BINARY(32) NOT NULL,
	text BINARY(32) NULL,
	variables MEDIUMTEXT NOT NULL,
	layout VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
	preview VARCHAR(200) NULL,
	PRIMARY KEY (workspace_id, sequence, version),
	KEY html (workspace_id, html),
	KEY text (workspace_id, text),
	CONSTRAINT template_version_html FOREIGN KEY (workspace_id, html) REFERENCES body (workspace_id, hash),
	CONSTRAINT template_version_of FOREIGN KEY (workspace_id, sequence) REFERENCES template (workspace_id, sequence) ON DELETE CASCADE,
	CONSTRAINT template_version_text FOREIGN KEY (workspace_id, text) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
