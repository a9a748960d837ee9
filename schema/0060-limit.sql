-- SPDX-License-Identifier: MIT
-- Limits of a workspace that replace those of the settings. name: of the setting. value: 0 is no limit.
CREATE TABLE IF NOT EXISTS workspace_limit (
	workspace_id BINARY(16) NOT NULL,
	name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	value BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- A transaction that creates something limited updates this first, so that such transactions count one after the other.
ALTER TABLE workspace ADD COLUMN IF NOT EXISTS turn BIGINT NOT NULL DEFAULT 0;
