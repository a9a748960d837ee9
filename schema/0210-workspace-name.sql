-- SPDX-License-Identifier: MIT
-- Names that workspaces have left. No other workspace takes one within a year, so that nobody passes
-- for the one that had it.
-- left_at: epoch ms.
CREATE TABLE IF NOT EXISTS workspace_name (
	name VARCHAR(100) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	left_at BIGINT NOT NULL,
	PRIMARY KEY (name),
	KEY left_at (left_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
