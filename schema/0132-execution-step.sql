-- SPDX-License-Identifier: MIT
-- The steps that executions have left, one row for each visit of a node, written once, in the transaction that moves the
-- execution. The step at which an execution stands, failed or was cancelled has no row: the execution itself has its
-- data. Executions that moved before this table was made have no rows of their steps until then.
-- sequence: the execution's step_count at that step. type: of the node in the execution's version of the design.
-- entered, left_at: the step's times, as in execution.step_time. skipped: 1 for an email that was not sent. branch: the
-- handle of the edge that it took. wait_until: the end of a wait, as it was set. email_id: the email that it sent.
CREATE TABLE IF NOT EXISTS execution_step (
	execution_id BINARY(16) NOT NULL,
	sequence INT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	step_id VARCHAR(64) COLLATE utf8mb4_nopad_bin NOT NULL,
	type VARCHAR(32) CHARACTER SET ascii NOT NULL,
	entered BIGINT NOT NULL,
	left_at BIGINT NOT NULL,
	skipped TINYINT NOT NULL,
	branch VARCHAR(64) NULL,
	why VARCHAR(1000) NULL,
	email_id BINARY(16) NULL,
	wait_until BIGINT NULL,
	PRIMARY KEY (execution_id, sequence)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
