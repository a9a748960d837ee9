-- SPDX-License-Identifier: MIT
-- Goals, exits and waits of executions, by the event and the value that it has.
CREATE TABLE IF NOT EXISTS execution_watch (
	contact_id BINARY(16) NOT NULL,
	event_name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	property VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	hash BINARY(16) NOT NULL,
	execution_id BINARY(16) NOT NULL,
	kind TINYINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	until BIGINT NULL,
	PRIMARY KEY (contact_id, event_name, property, hash, execution_id, kind),
	KEY execution (execution_id, kind)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
