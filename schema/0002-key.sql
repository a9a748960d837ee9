-- SPDX-License-Identifier: MIT
-- API keys. Only the SHA-256 of a key is stored. scope: see enum store_key_scope.
CREATE TABLE IF NOT EXISTS api_key (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	user_id BINARY(16) NOT NULL,
	hash BINARY(32) NOT NULL,
	scope TINYINT NOT NULL,
	name VARCHAR(100) NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NULL,
	revoked BIGINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY hash (hash),
	KEY workspace (workspace_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
