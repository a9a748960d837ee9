-- SPDX-License-Identifier: MIT
-- Automation contacts. email: as first given; address: the form in which emails are compared, ASCII in lower case.
-- properties: a JSON object. Each event locks this row first and writes it, so that the events of a contact have one
-- order. last_seen, last_event: time and name of the latest event. The times of a contact's events are all different.
-- The table was called automation_contact until 0110; it is renamed here too, so that the files can be run again.
RENAME TABLE IF EXISTS automation_contact TO person;
CREATE TABLE IF NOT EXISTS person (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	email VARCHAR(254) NOT NULL,
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	properties MEDIUMTEXT NOT NULL,
	first_seen BIGINT NOT NULL,
	last_seen BIGINT NOT NULL,
	last_event VARCHAR(100) NOT NULL,
	event_count BIGINT NOT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY address (workspace_id, address),
	KEY newest (workspace_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Events of contacts: their actions, and the fate of the emails that workflows sent them.
CREATE TABLE IF NOT EXISTS automation_event (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	contact_id BINARY(16) NOT NULL,
	name VARCHAR(100) COLLATE utf8mb4_nopad_bin NOT NULL,
	timestamp BIGINT NOT NULL,
	properties MEDIUMTEXT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY contact (contact_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- A run of one version of a workflow for one contact. status, cancellation: see store/execution.h. step_id: the node
-- that it stands at. step_time: when the step became due, from which its durations count. ready_at: when the engine
-- steps it next, NULL while only an event can move it, and once it is finished. parked: the ready_at that it gets back
-- when its workflow is resumed. released: the time of the event that released it. exclusive: 1 while no other execution
-- of this contact may be in the workflow, else NULL. depth: the number of workflows before it in a chain that started
-- one another. attempts: of the current step.
CREATE TABLE IF NOT EXISTS execution (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	workflow_id BINARY(16) NOT NULL,
	contact_id BINARY(16) NOT NULL,
	event_id BINARY(16) NOT NULL,
	email VARCHAR(254) NOT NULL,
	version INT NOT NULL,
	status TINYINT NOT NULL,
	step_id VARCHAR(64) COLLATE utf8mb4_nopad_bin NOT NULL,
	step_count INT NOT NULL,
	step_time BIGINT NOT NULL,
	ready_at BIGINT NULL,
	parked BIGINT NULL,
	wait_until BIGINT NULL,
	released BIGINT NULL,
	attempts TINYINT NOT NULL DEFAULT 0,
	depth TINYINT NOT NULL DEFAULT 0,
	exclusive TINYINT NULL,
	error_step VARCHAR(64) NULL,
	error_message VARCHAR(1000) NULL,
	cancellation TINYINT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	completed BIGINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY exclusive (workflow_id, contact_id, exclusive),
	KEY ready_at (ready_at),
	KEY workflow (workflow_id, id),
	KEY workflow_status (workflow_id, status, id),
	KEY contact (contact_id, id),
	KEY contact_status (contact_id, status, id),
	KEY parked (workflow_id, parked)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Executions that wait for an event of their contact.
CREATE TABLE IF NOT EXISTS execution_wait (
	contact_id BINARY(16) NOT NULL,
	event_name VARCHAR(100) COLLATE utf8mb4_nopad_bin NOT NULL,
	execution_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (contact_id, event_name, execution_id),
	KEY execution (execution_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The execution, and its node, that sent an email.
CREATE TABLE IF NOT EXISTS execution_email (
	email_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	workflow_id BINARY(16) NOT NULL,
	execution_id BINARY(16) NOT NULL,
	contact_id BINARY(16) NOT NULL,
	step_id VARCHAR(64) COLLATE utf8mb4_nopad_bin NOT NULL,
	depth TINYINT NOT NULL,
	PRIMARY KEY (email_id),
	KEY workflow (workflow_id, email_id),
	KEY execution (execution_id, email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Feedback: events of emails that workflows sent, queued for the engine. Stored with the event itself, removed when the
-- engine has processed it.
CREATE TABLE IF NOT EXISTS automation_feedback (
	event_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	contact_id BINARY(16) NOT NULL,
	email_id BINARY(16) NOT NULL,
	status TINYINT NOT NULL,
	timestamp BIGINT NOT NULL,
	link VARCHAR(4096) NULL,
	PRIMARY KEY (event_id),
	KEY contact (contact_id, timestamp)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
