-- SPDX-License-Identifier: MIT
-- Contents: html, texts and attachments, each stored once for a workspace under its SHA-256. data has the first MiB,
-- body_piece the rest in rows of a MiB. The foreign keys of emails and templates decide whether a body may be removed;
-- body_piece is removed with it.
CREATE TABLE IF NOT EXISTS body (
	workspace_id BINARY(16) NOT NULL,
	hash BINARY(32) NOT NULL,
	size INT NOT NULL,
	data MEDIUMBLOB NOT NULL,
	PRIMARY KEY (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE IF NOT EXISTS body_piece (
	workspace_id BINARY(16) NOT NULL,
	hash BINARY(32) NOT NULL,
	number SMALLINT NOT NULL,
	data MEDIUMBLOB NOT NULL,
	PRIMARY KEY (workspace_id, hash, number),
	CONSTRAINT body_piece_body FOREIGN KEY (workspace_id, hash) REFERENCES body (workspace_id, hash) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
