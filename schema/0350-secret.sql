-- SPDX-License-Identifier: MIT
-- Secrets of a workspace that steps of workflows use by their names.
CREATE TABLE IF NOT EXISTS secret (
	workspace_id BINARY(16) NOT NULL,
	name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	value VARBINARY(4200) NOT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
