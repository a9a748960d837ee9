-- SPDX-License-Identifier: MIT
-- The newest versions of broadcasts' contents, the one that it has included; a broadcast that was not changed since has none.
CREATE TABLE IF NOT EXISTS broadcast_version (
	broadcast_id BINARY(16) NOT NULL,
	version INT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	created BIGINT NOT NULL,
	created_by VARCHAR(254) NULL,
	content LONGTEXT NOT NULL,
	PRIMARY KEY (broadcast_id, version),
	CONSTRAINT broadcast_version_of FOREIGN KEY (broadcast_id) REFERENCES broadcast (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
