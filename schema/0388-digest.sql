-- SPDX-License-Identifier: MIT
-- Open digests, and their events.
CREATE TABLE IF NOT EXISTS digest (
	contact_id BINARY(16) NOT NULL,
	workflow_id BINARY(16) NOT NULL,
	step_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	hash BINARY(16) NOT NULL,
	execution_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	ends BIGINT NOT NULL,
	events INT NOT NULL,
	PRIMARY KEY (contact_id, workflow_id, step_id, hash, execution_id),
	KEY execution (execution_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
CREATE TABLE IF NOT EXISTS digest_event (
	execution_id BINARY(16) NOT NULL,
	timestamp BIGINT NOT NULL,
	event_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	properties MEDIUMTEXT NOT NULL,
	PRIMARY KEY (execution_id, timestamp, event_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
