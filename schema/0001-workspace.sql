-- SPDX-License-Identifier: MIT
-- A workspace owns all other rows; its users own its keys.
CREATE TABLE IF NOT EXISTS workspace (
	id BINARY(16) NOT NULL,
	name VARCHAR(100) NOT NULL,
	default_sender VARCHAR(400) NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY name (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE IF NOT EXISTS user (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	email VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	first_name VARCHAR(100) NULL,
	last_name VARCHAR(100) NULL,
	picture VARCHAR(2048) NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY email (workspace_id, email)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
