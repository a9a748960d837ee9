-- SPDX-License-Identifier: MIT
-- Pauses of mailings, kept by address.
CREATE TABLE IF NOT EXISTS snooze (
	workspace_id BINARY(16) NOT NULL,
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	until BIGINT NOT NULL,
	author TINYINT NOT NULL,
	PRIMARY KEY (workspace_id, address),
	KEY until (until)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
