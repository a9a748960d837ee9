-- SPDX-License-Identifier: MIT
-- JSON that the dashboard keeps for a user: what is not saved yet, and the filters of lists. It goes with the user.
CREATE TABLE IF NOT EXISTS note (
	user_id BINARY(16) NOT NULL,
	kind TINYINT NOT NULL,
	name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	data MEDIUMTEXT NOT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (user_id, kind, name),
	KEY updated (updated)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
