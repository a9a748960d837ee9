-- SPDX-License-Identifier: MIT
-- Idempotency keys and the answers that they replay, for a day. request: SHA-256 of route and body.
CREATE TABLE IF NOT EXISTS idempotency (
	workspace_id BINARY(16) NOT NULL,
	name VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
	request BINARY(32) NOT NULL,
	status SMALLINT NOT NULL,
	answer TEXT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, name),
	KEY created (created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
