-- SPDX-License-Identifier: MIT
-- Contents that emails and templates share, and templates.

-- Contents, each stored once for a workspace under its hash; the foreign keys of others decide whether one may be
-- removed.
CREATE TABLE IF NOT EXISTS body (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The SHA-256 of the content.
	hash BINARY(32) NOT NULL,
	-- The bytes of the whole content.
	size INT NOT NULL,
	-- The first MiB.
	data MEDIUMBLOB NOT NULL,
	PRIMARY KEY (workspace_id,hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The rest of large contents, in rows of a MiB.
CREATE TABLE IF NOT EXISTS body_piece (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The content, with which the row is removed. -> body
	hash BINARY(32) NOT NULL,
	-- The place of the piece, from 1.
	number SMALLINT NOT NULL,
	-- Its bytes.
	data MEDIUMBLOB NOT NULL,
	PRIMARY KEY (workspace_id,hash,number),
	CONSTRAINT body_piece_body FOREIGN KEY (workspace_id, hash) REFERENCES body (workspace_id, hash) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Templates; a row is the version that is sent.
CREATE TABLE IF NOT EXISTS template (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The caller's own id, or a UUID as text.
	id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
	-- The name.
	name VARCHAR(100) NOT NULL,
	-- The subject; NULL: emails bring their own.
	subject VARCHAR(998) NULL,
	-- The hash of the html. -> body
	html BINARY(32) NOT NULL,
	-- The hash of the text; NULL: it is made from the html. -> body
	text BINARY(32) NULL,
	-- The defaults of the variables, a JSON object.
	variables MEDIUMTEXT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	-- A UUID version 7 that gives the order of creation.
	sequence BINARY(16) NOT NULL,
	-- 1: it was never published, and /v1 does not see it.
	is_draft TINYINT NOT NULL DEFAULT 0,
	-- A name beside the id; NULL: none.
	alias VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
	-- The sender of emails that have none; NULL: none.
	sender VARCHAR(998) NULL,
	-- The Reply-To of emails that have none; NULL: none.
	reply_to MEDIUMTEXT NULL,
	-- The variables with type and fallback, JSON; NULL: made in /v1, which has only defaults.
	declared MEDIUMTEXT NULL,
	-- A UUID of the content; NULL: it is sequence.
	version BINARY(16) NULL,
	-- The id of the template in whose html this one's stands, at {{{body}}}; NULL: none; it may be gone. -> template
	layout VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
	-- The text that mail programs show beside the subject; NULL: none.
	preview VARCHAR(200) NULL,
	PRIMARY KEY (workspace_id,id),
	UNIQUE KEY newest (workspace_id,sequence),
	UNIQUE KEY alias (workspace_id,alias),
	KEY html (workspace_id,html),
	KEY text (workspace_id,text),
	CONSTRAINT template_html FOREIGN KEY (workspace_id, html) REFERENCES body (workspace_id, hash),
	CONSTRAINT template_text FOREIGN KEY (workspace_id, text) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The changes of a published template that are not published yet: the whole next version.
CREATE TABLE IF NOT EXISTS template_draft (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The template. -> template
	id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
	-- A UUID of the content.
	version BINARY(16) NOT NULL,
	-- The name.
	name VARCHAR(100) NOT NULL,
	-- The subject; NULL: emails bring their own.
	subject VARCHAR(998) NULL,
	-- The hash of the html. -> body
	html BINARY(32) NOT NULL,
	-- The hash of the text; NULL: it is made from the html. -> body
	text BINARY(32) NULL,
	-- The sender of emails that have none; NULL: none.
	sender VARCHAR(998) NULL,
	-- The Reply-To of emails that have none; NULL: none.
	reply_to MEDIUMTEXT NULL,
	-- The variables with type and fallback, JSON; NULL: it has only defaults.
	declared MEDIUMTEXT NULL,
	-- The defaults of the variables, a JSON object.
	variables MEDIUMTEXT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,id),
	KEY html (workspace_id,html),
	KEY text (workspace_id,text),
	CONSTRAINT template_draft_html FOREIGN KEY (workspace_id, html) REFERENCES body (workspace_id, hash),
	CONSTRAINT template_draft_of FOREIGN KEY (workspace_id, id) REFERENCES template (workspace_id, id) ON DELETE CASCADE,
	CONSTRAINT template_draft_text FOREIGN KEY (workspace_id, text) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The newest versions of published templates, the one that is sent among them; none of one that was not changed since
-- they are kept.
CREATE TABLE IF NOT EXISTS template_version (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The template, by its sequence. -> template
	sequence BINARY(16) NOT NULL,
	-- Its number, from 1.
	version INT NOT NULL,
	-- Epoch ms of the change that made it.
	created BIGINT NOT NULL,
	-- The address of the user, or the id of the key; NULL: not known.
	created_by VARCHAR(254) NULL,
	-- The name.
	name VARCHAR(100) NOT NULL,
	-- The subject; NULL: emails bring their own.
	subject VARCHAR(998) NULL,
	-- The hash of the html. -> body
	html BINARY(32) NOT NULL,
	-- The hash of the text; NULL: it is made from the html. -> body
	text BINARY(32) NULL,
	-- The defaults of the variables, a JSON object.
	variables MEDIUMTEXT NOT NULL,
	-- The id of the template in whose html this one's stands; NULL: none; it may be gone.
	layout VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
	-- The text that mail programs show beside the subject; NULL: none.
	preview VARCHAR(200) NULL,
	PRIMARY KEY (workspace_id,sequence,version),
	KEY html (workspace_id,html),
	KEY text (workspace_id,text),
	CONSTRAINT template_version_html FOREIGN KEY (workspace_id, html) REFERENCES body (workspace_id, hash),
	CONSTRAINT template_version_of FOREIGN KEY (workspace_id, sequence) REFERENCES template (workspace_id, sequence) ON DELETE CASCADE,
	CONSTRAINT template_version_text FOREIGN KEY (workspace_id, text) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
