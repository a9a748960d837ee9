-- SPDX-License-Identifier: MIT
-- Definitions of the properties of people. type: see enum store_property_type. value: the default, JSON; NULL: none.
CREATE TABLE IF NOT EXISTS property (
	workspace_id BINARY(16) NOT NULL,
	name VARCHAR(50) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	type TINYINT NOT NULL,
	value TEXT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
