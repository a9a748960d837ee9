-- SPDX-License-Identifier: MIT
-- Workflows. status: see enum store_workflow_status. created_by: a user's email address or a key's id, by
-- created_by_type (see enum store_workflow_author). active_version: the version of new executions, 0 before the first
-- activation. deleted: hidden from every request; the row stays until its executions are cancelled.
CREATE TABLE IF NOT EXISTS workflow (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	name VARCHAR(100) NOT NULL,
	status TINYINT NOT NULL,
	current_version INT NOT NULL,
	active_version INT NOT NULL,
	created_by VARCHAR(254) NOT NULL,
	created_by_type TINYINT NOT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	deleted BIGINT NULL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id, deleted, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Each saved design, unchanged.
CREATE TABLE IF NOT EXISTS workflow_version (
	workflow_id BINARY(16) NOT NULL,
	version INT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	design MEDIUMTEXT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (workflow_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Triggers: a row for each active workflow that an event name starts, so that other workflows cost an event nothing.
CREATE TABLE IF NOT EXISTS workflow_trigger (
	workspace_id BINARY(16) NOT NULL,
	event_name VARCHAR(100) COLLATE utf8mb4_nopad_bin NOT NULL,
	workflow_id BINARY(16) NOT NULL,
	version INT NOT NULL,
	PRIMARY KEY (workspace_id, event_name, workflow_id),
	KEY workflow (workflow_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Work that remains for many executions of a workflow, done a batch at a time. kind: see enum store_workflow_task_kind.
CREATE TABLE IF NOT EXISTS workflow_task (
	workflow_id BINARY(16) NOT NULL,
	kind TINYINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (workflow_id, kind)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- A contact's entries into a workflow, and its last start: re-entry and deduplication are decided by them.
CREATE TABLE IF NOT EXISTS workflow_entry (
	workflow_id BINARY(16) NOT NULL,
	contact_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	event_name VARCHAR(100) COLLATE utf8mb4_nopad_bin NOT NULL,
	started BIGINT NOT NULL,
	PRIMARY KEY (workflow_id, contact_id),
	KEY contact (contact_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
