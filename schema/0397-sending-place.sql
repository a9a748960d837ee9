-- SPDX-License-Identifier: MIT
-- The mailings of people that count for a cap.
CREATE TABLE IF NOT EXISTS sending_place (
	workspace_id BINARY(16) NOT NULL,
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	entry_id BINARY(16) NOT NULL,
	topic_id BINARY(16) NULL,
	token BIGINT NULL,
	taken BIGINT NOT NULL,
	sent BIGINT NULL,
	PRIMARY KEY (workspace_id, address, entry_id),
	KEY taken (taken)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
