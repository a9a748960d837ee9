-- SPDX-License-Identifier: MIT
-- Contents: html, texts and attachments, by their SHA-256, each stored once for a workspace. The first MiB stands in data, the
-- rest in rows of a MiB. Foreign keys of what uses a body decide whether it may go; body_piece goes with it.
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
