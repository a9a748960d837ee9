-- SPDX-License-Identifier: MIT
-- Entries of people into workflows whose trigger has a key.
CREATE TABLE IF NOT EXISTS workflow_key (
	workflow_id BINARY(16) NOT NULL,
	contact_id BINARY(16) NOT NULL,
	hash BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	event_name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	started BIGINT NOT NULL,
	execution_id BINARY(16) NOT NULL,
	PRIMARY KEY (workflow_id, contact_id, hash),
	KEY contact (contact_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
