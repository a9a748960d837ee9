-- SPDX-License-Identifier: MIT
-- The workflows that the opens or the clicks of an email have started: an email starts a workflow once, however often
-- it is opened or clicked. An email of a workflow has one recipient. status: see enum store_event_status.
CREATE TABLE IF NOT EXISTS workflow_opened (
	workflow_id BINARY(16) NOT NULL,
	email_id BINARY(16) NOT NULL,
	status TINYINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (workflow_id, email_id, status),
	KEY email (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Removing an email removes its queued feedback.
ALTER TABLE automation_feedback ADD INDEX IF NOT EXISTS email (email_id);
