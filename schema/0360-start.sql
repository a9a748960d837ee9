-- SPDX-License-Identifier: MIT
-- Starts: a workflow begun for one person or for many, by request.
CREATE TABLE IF NOT EXISTS workflow_start (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	workflow_id BINARY(16) NOT NULL,
	source TINYINT UNSIGNED NOT NULL,
	status TINYINT UNSIGNED NOT NULL,
	audience_id BINARY(16) NULL,
	segment_id BINARY(16) NULL,
	properties MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	place BINARY(16) NOT NULL,
	scheduled_at BIGINT NULL,
	created BIGINT NOT NULL,
	completed BIGINT NULL,
	execution_id BINARY(16) NULL,
	reason TINYINT UNSIGNED NULL,
	error VARCHAR(255) NULL,
	people BIGINT NOT NULL,
	started BIGINT NOT NULL,
	filter BIGINT NOT NULL,
	reentry BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY workflow (workspace_id, workflow_id, id),
	KEY workspace_status (workspace_id, status),
	KEY status (status, id),
	KEY completed (completed)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE IF NOT EXISTS workflow_start_address (
	start_id BINARY(16) NOT NULL,
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	PRIMARY KEY (start_id, address),
	KEY person (workspace_id, address)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
