-- SPDX-License-Identifier: MIT
-- Schedules of active workflows. version: the design that has it. next_at: epoch ms of the next tick. since: ticks up to this time are over.
CREATE TABLE IF NOT EXISTS workflow_schedule (
	workflow_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	version INT NOT NULL,
	next_at BIGINT NOT NULL,
	since BIGINT NOT NULL,
	PRIMARY KEY (workflow_id),
	KEY next_at (next_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
-- A tick makes one start.
ALTER TABLE workflow_start ADD UNIQUE INDEX IF NOT EXISTS tick (workflow_id, scheduled_at);
