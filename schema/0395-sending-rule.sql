-- SPDX-License-Identifier: MIT
-- When mailings may leave, and how many a person gets: the rules of workspaces and topics.
CREATE TABLE IF NOT EXISTS sending_rule (
	workspace_id BINARY(16) NOT NULL,
	topic_id BINARY(16) NOT NULL,
	hours TEXT NULL,
	cap VARCHAR(255) NULL,
	capped_since BIGINT NULL,
	PRIMARY KEY (workspace_id, topic_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
