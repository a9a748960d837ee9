-- SPDX-License-Identifier: MIT
-- Workflows, the events that start them, and their executions.

-- Events that are declared under /resend; an event need not be.
CREATE TABLE IF NOT EXISTS event_type (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The name in normal form.
	name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- The name as it was given.
	title VARCHAR(100) NOT NULL,
	-- The types of a payload's members by name, a JSON object; NULL: any payload.
	fields MEDIUMTEXT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,id),
	UNIQUE KEY name (workspace_id,name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Events of people: their actions, and the fate of the emails that workflows sent them.
CREATE TABLE IF NOT EXISTS automation_event (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The person. -> person
	contact_id BINARY(16) NOT NULL,
	-- The name of the event.
	name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- Epoch ms of the event, which no other event of the person has.
	timestamp BIGINT NOT NULL,
	-- The properties of the event, a JSON object.
	properties MEDIUMTEXT NOT NULL,
	-- Epoch ms at which it was stored.
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY contact (contact_id,id),
	KEY named (workspace_id,name,contact_id,timestamp)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Events of emails that workflows sent, until the engine has processed them.
CREATE TABLE IF NOT EXISTS automation_feedback (
	-- The event of the email. -> event
	event_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The person. -> person
	contact_id BINARY(16) NOT NULL,
	-- The email. -> execution_email
	email_id BINARY(16) NOT NULL,
	-- See enum store_event_status.
	status TINYINT NOT NULL,
	-- Epoch ms of the event.
	timestamp BIGINT NOT NULL,
	-- The URL that was clicked; NULL: none.
	link VARCHAR(4096) NULL,
	-- Epoch ms from which on the engine takes it: by then it is known whether a program made it.
	due BIGINT NOT NULL DEFAULT 0,
	-- The name of an event that Posthouse tells by itself; NULL: it is one of an email.
	name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL,
	-- The properties of such an event, a JSON object; of person.updated the person before the change.
	properties MEDIUMTEXT NULL,
	-- For person.updated: the person after the change, a JSON object; NULL: none.
	became MEDIUMTEXT NULL,
	-- The workflow whose step caused it; NULL: none did. -> workflow
	cause_id BINARY(16) NULL,
	-- The depth of the execution whose step caused it.
	depth TINYINT NOT NULL DEFAULT 0,
	-- The one workflow that it is told to; NULL: all. -> workflow
	target_id BINARY(16) NULL,
	PRIMARY KEY (event_id),
	KEY contact (contact_id,timestamp),
	KEY email (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Workflows.
CREATE TABLE IF NOT EXISTS workflow (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The name.
	name VARCHAR(100) NOT NULL,
	-- See enum store_workflow_status.
	status TINYINT NOT NULL,
	-- The newest version.
	current_version INT NOT NULL,
	-- The version of new executions; 0 before the first activation.
	active_version INT NOT NULL,
	-- The address of a user, or the id of a key.
	created_by VARCHAR(254) NOT NULL,
	-- See enum store_workflow_author.
	created_by_type TINYINT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	-- Epoch ms since which no request sees it; the row stays until its executions are cancelled; NULL: it is there.
	deleted BIGINT NULL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id,deleted,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Each saved design, unchanged.
CREATE TABLE IF NOT EXISTS workflow_version (
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The number of the version, from 1.
	version INT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The design, JSON.
	design MEDIUMTEXT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- The steps and connections as they were given under /resend, JSON; NULL: made in /v1.
	form MEDIUMTEXT NULL,
	-- The address of the user, or the id of the key; NULL: not known.
	created_by VARCHAR(254) NULL,
	PRIMARY KEY (workflow_id,version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- A row for each active workflow that an event name starts, so that other workflows cost an event nothing.
CREATE TABLE IF NOT EXISTS workflow_trigger (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The name of the event.
	event_name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The version that it starts.
	version INT NOT NULL,
	PRIMARY KEY (workspace_id,event_name,workflow_id),
	KEY workflow (workflow_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Work that remains for many executions of a workflow, done a batch at a time.
CREATE TABLE IF NOT EXISTS workflow_task (
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- See enum store_workflow_task_kind.
	kind TINYINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (workflow_id,kind)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- A person's entries into a workflow, which decide on re-entry and deduplication.
CREATE TABLE IF NOT EXISTS workflow_entry (
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The person. -> person
	contact_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The event that started it last.
	event_name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- Epoch ms of the last start.
	started BIGINT NOT NULL,
	PRIMARY KEY (workflow_id,contact_id),
	KEY contact (contact_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The workflows that the opens or the clicks of an email have started, each once.
CREATE TABLE IF NOT EXISTS workflow_opened (
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- Open or click, see enum store_event_status.
	status TINYINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (workflow_id,email_id,status),
	KEY email (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- A run of one version of a workflow for one person.
CREATE TABLE IF NOT EXISTS execution (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The person. -> person
	contact_id BINARY(16) NOT NULL,
	-- The event that started it. -> automation_event
	event_id BINARY(16) NOT NULL,
	-- The address of the person when it began.
	email VARCHAR(254) NOT NULL,
	-- The version of the design.
	version INT NOT NULL,
	-- See enum store_execution_status.
	status TINYINT NOT NULL,
	-- The node that it stands at.
	step_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- The number of steps that it has made.
	step_count INT NOT NULL,
	-- Epoch ms at which the step became due, from which its durations count.
	step_time BIGINT NOT NULL,
	-- Epoch ms at which the engine steps it next; NULL: only an event can move it, or it is finished.
	ready_at BIGINT NULL,
	-- The ready_at that it gets back when its workflow is resumed; NULL: none.
	parked BIGINT NULL,
	-- Epoch ms of the end of its wait; NULL: none.
	wait_until BIGINT NULL,
	-- Epoch ms of the event that released it; NULL: none.
	released BIGINT NULL,
	-- The attempts at the current step.
	attempts TINYINT NOT NULL DEFAULT 0,
	-- The number of workflows before it in a chain that started one another.
	depth TINYINT NOT NULL DEFAULT 0,
	-- 1: no other execution of this person may be in the workflow; NULL: others may.
	exclusive TINYINT NULL,
	-- The node at which it failed; NULL: none.
	error_step VARCHAR(64) NULL,
	-- The reason; NULL: none.
	error_message VARCHAR(1000) NULL,
	-- See enum store_execution_cancellation; NULL: it was not cancelled.
	cancellation TINYINT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	-- Epoch ms of its end; NULL: it goes on.
	completed BIGINT NULL,
	-- The number of processes that died while they stepped it since it last moved; from two on a child process steps
	-- it.
	deaths TINYINT NOT NULL DEFAULT 0,
	-- A bit for each node of the design, from the lowest on, that it has entered after its trigger.
	visited VARBINARY(63) NOT NULL DEFAULT '',
	-- The start that began it; NULL if an event did. -> workflow_start
	start_id BINARY(16) NULL,
	-- How it was completed, see enum store_execution_completion; NULL: at its end, or it was not.
	completion TINYINT NULL,
	-- The value of its trigger's key; NULL: it has none.
	entry_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	-- Epoch ms at which it reached its goal; NULL: it has not.
	goal_at BIGINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY exclusive (workflow_id,contact_id,exclusive),
	KEY ready_at (ready_at),
	KEY workflow (workflow_id,id),
	KEY workflow_status (workflow_id,status,id),
	KEY contact (contact_id,id),
	KEY contact_status (contact_id,status,id),
	KEY parked (workflow_id,parked),
	KEY turn (workspace_id,ready_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Executions that wait for an event of their person.
CREATE TABLE IF NOT EXISTS execution_wait (
	-- The person. -> person
	contact_id BINARY(16) NOT NULL,
	-- The name of the event.
	event_name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- The execution. -> execution
	execution_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (contact_id,event_name,execution_id),
	KEY execution (execution_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The steps that executions have left, one row for each visit of a node but for the trigger of a start for many written
-- in the transaction that moves the execution.
CREATE TABLE IF NOT EXISTS execution_step (
	-- The execution. -> execution
	execution_id BINARY(16) NOT NULL,
	-- The execution's step_count at that step.
	sequence INT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The node.
	step_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- The type of the node in the execution's version of the design.
	type VARCHAR(32) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	-- Epoch ms at which the step began.
	entered BIGINT NOT NULL,
	-- Epoch ms at which it ended.
	left_at BIGINT NOT NULL,
	-- 1: the email was not sent.
	skipped TINYINT NOT NULL,
	-- The handle of the edge that it took; NULL: it has one alone.
	branch VARCHAR(64) NULL,
	-- The reason for the branch or the skipped email; NULL: none.
	why VARCHAR(1000) NULL,
	-- The email that it sent; NULL: none. -> email
	email_id BINARY(16) NULL,
	-- Epoch ms of the end of a wait, as it was set; NULL: none.
	wait_until BIGINT NULL,
	-- What the node gave at this visit, a JSON object: step.ID of rules and emails; NULL: nothing.
	given MEDIUMTEXT NULL,
	PRIMARY KEY (execution_id,sequence)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The execution, and its node, that sent an email.
CREATE TABLE IF NOT EXISTS execution_email (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The execution. -> execution
	execution_id BINARY(16) NOT NULL,
	-- The person. -> person
	contact_id BINARY(16) NOT NULL,
	-- The node.
	step_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- The depth of the execution.
	depth TINYINT NOT NULL,
	PRIMARY KEY (email_id),
	KEY workflow (workflow_id,email_id),
	KEY execution (execution_id,email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Deleted people whose executions are left and still contain the address, so that erasing the person finds them.
CREATE TABLE IF NOT EXISTS execution_trace (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as in person.
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The person that was. -> execution
	contact_id BINARY(16) NOT NULL,
	PRIMARY KEY (workspace_id,address,contact_id),
	KEY contact (contact_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Secrets that steps of workflows use by their names.
CREATE TABLE IF NOT EXISTS secret (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Letters, digits, _ or -.
	name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The value, encrypted as in domain_key.
	value VARBINARY(4200) NOT NULL,
	-- Epoch ms at which it was set first.
	created BIGINT NOT NULL,
	-- Epoch ms at which it was set last.
	updated BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Workflows begun by request, for one person or for many.
CREATE TABLE IF NOT EXISTS workflow_start (
	-- UUIDv7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The origin: 1 API, 2 command line, 3 segment, 4 schedule.
	source TINYINT UNSIGNED NOT NULL,
	-- 1 pending, 2 running, 3 done, 4 cancelled, 5 skipped, 6 failed.
	status TINYINT UNSIGNED NOT NULL,
	-- The audience whose subscribed people it is for, if it is for one. -> audience
	audience_id BINARY(16) NULL,
	-- The segment whose people it is for, if it is for one. -> segment
	segment_id BINARY(16) NULL,
	-- Properties of the event that each person gets: a JSON object.
	properties MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	-- The last person that was looked at; zeros: nobody yet. -> person
	place BINARY(16) NOT NULL,
	-- Epoch ms of the tick that made it; NULL: none did.
	scheduled_at BIGINT NULL,
	-- Epoch ms at which it was ordered.
	created BIGINT NOT NULL,
	-- Epoch ms at which it was over; NULL before.
	completed BIGINT NULL,
	-- The execution of the one person it is for. -> execution
	execution_id BINARY(16) NULL,
	-- The reason why that person was kept out: 1 filter, 2 re-entry.
	reason TINYINT UNSIGNED NULL,
	-- The reason why it failed.
	error VARCHAR(255) NULL,
	-- The people so far.
	people BIGINT NOT NULL,
	-- Those who have begun the workflow.
	started BIGINT NOT NULL,
	-- Those whom the filter of the trigger kept out.
	filter BIGINT NOT NULL,
	-- Those whom the rule about re-entry kept out.
	reentry BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY tick (workflow_id,scheduled_at),
	KEY workflow (workspace_id,workflow_id,id),
	KEY workspace_status (workspace_id,status),
	KEY status (status,id),
	KEY completed (completed)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Addresses of starts that name people, until each is begun.
CREATE TABLE IF NOT EXISTS workflow_start_address (
	-- The start. -> workflow_start
	start_id BINARY(16) NOT NULL,
	-- The address as in person.
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as it was given.
	email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	PRIMARY KEY (start_id,address),
	KEY person (workspace_id,address)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Names of events that Posthouse tells by itself and that workflows hear.
CREATE TABLE IF NOT EXISTS workflow_heard (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The name of the event.
	event_name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- The segment of an event that is about one; zeros: it is not. -> segment
	segment_id BINARY(16) NOT NULL,
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- 1: its trigger hears it while it is active; 0: another part of a version that was active, while executions
	-- run.
	is_trigger TINYINT NOT NULL,
	-- Epoch ms since which it is heard so.
	since BIGINT NOT NULL,
	-- A goal counts, and is heard, so many ms from the start of an execution on; 0: as long as executions run.
	goal_within BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (workspace_id,event_name,segment_id,workflow_id,is_trigger),
	KEY workflow (workflow_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Events by which executions end, and those that they wait for by the value of a property.
CREATE TABLE IF NOT EXISTS execution_watch (
	-- The person. -> person
	contact_id BINARY(16) NOT NULL,
	-- The name of the event; empty: each event.
	event_name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- The property of the event by whose value it is found; empty: any event of the name.
	property VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- The hash of the value (lib/rule/operator.h); zeros without property.
	hash BINARY(16) NOT NULL,
	-- The execution. -> execution
	execution_id BINARY(16) NOT NULL,
	-- See enum store_watch_kind.
	kind TINYINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms until which the goal counts, also behind the end; NULL: as long as the execution runs.
	until BIGINT NULL,
	PRIMARY KEY (contact_id,event_name,property,hash,execution_id,kind),
	KEY execution (execution_id,kind)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- A person's entries into a workflow whose trigger has a key, one for each value.
CREATE TABLE IF NOT EXISTS workflow_key (
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The person. -> person
	contact_id BINARY(16) NOT NULL,
	-- The hash of the value (lib/rule/operator.h).
	hash BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The event that started it last.
	event_name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- Epoch ms of the last start.
	started BIGINT NOT NULL,
	-- The execution that began then. -> execution
	execution_id BINARY(16) NOT NULL,
	PRIMARY KEY (workflow_id,contact_id,hash),
	KEY contact (contact_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Open digests: each gathers the events of executions that reach its node.
CREATE TABLE IF NOT EXISTS digest (
	-- The person. -> person
	contact_id BINARY(16) NOT NULL,
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The node.
	step_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	-- The hash of the value of its key (lib/rule/operator.h).
	hash BINARY(16) NOT NULL,
	-- The execution that has opened it, and waits for its end. -> execution
	execution_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms of the end of its window.
	ends BIGINT NOT NULL,
	-- The number of its events, with those that are only counted.
	events INT NOT NULL,
	-- Epoch ms of the beginning of its window; 0: a program of a version before has opened it.
	opened BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (contact_id,workflow_id,step_id,hash,execution_id),
	KEY execution (execution_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The newest events of open digests.
CREATE TABLE IF NOT EXISTS digest_event (
	-- The execution that has opened the digest. -> execution
	execution_id BINARY(16) NOT NULL,
	-- Epoch ms of the event.
	timestamp BIGINT NOT NULL,
	-- The event. -> automation_event
	event_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The properties of the event, a JSON object, with its timestamp.
	properties MEDIUMTEXT NOT NULL,
	PRIMARY KEY (execution_id,timestamp,event_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The requests of steps of workflows that are to be made, or were answered; a row goes when the step is left.
CREATE TABLE IF NOT EXISTS step_request (
	-- The execution that stands at the step. -> execution
	execution_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The execution's step_count at that step.
	sequence INT NOT NULL,
	-- Name and port of the URL, in one spelling.
	host VARCHAR(300) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The method.
	method VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The URL, filled in.
	url VARCHAR(2048) NOT NULL,
	-- A JSON array of [name, parts]; each part is a text or {"secret": name}.
	headers MEDIUMTEXT NOT NULL,
	-- The body, filled in; NULL: none.
	body MEDIUMTEXT NULL,
	-- Seconds for one attempt.
	timeout INT NOT NULL,
	-- Attempts that may be made.
	most INT NOT NULL,
	-- Attempts that were begun.
	attempts INT NOT NULL,
	-- Epoch ms of the next attempt, or of the end of the lease of one that is under way; NULL: it is answered.
	due_at BIGINT NULL,
	-- The number of the last lease; 0: none yet.
	token BIGINT NOT NULL,
	-- The journal of the process that makes the attempt; NULL: none.
	owner VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The answer's HTTP status; 0: none came.
	status INT NULL,
	-- The answer's JSON; NULL: none.
	answer MEDIUMTEXT NULL,
	-- The reason why it has failed; NULL: it has not.
	error VARCHAR(1000) NULL,
	-- Epoch ms of the answer.
	answered BIGINT NULL,
	PRIMARY KEY (execution_id),
	KEY host (host,due_at),
	KEY owner (owner)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Days for which a date has started a workflow for a person.
CREATE TABLE IF NOT EXISTS workflow_date (
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The person. -> person
	person_id BINARY(16) NOT NULL,
	-- The day of the date, counted from 1 January of year 1, which is 1.
	day INT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms of the moment that started it.
	moment BIGINT NOT NULL,
	PRIMARY KEY (workflow_id,person_id,day),
	KEY moment (workspace_id,moment)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Segments whose people a workflow has taken in when it became active.
CREATE TABLE IF NOT EXISTS workflow_included (
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The segment. -> segment
	segment_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (workflow_id,segment_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Schedules of active workflows.
CREATE TABLE IF NOT EXISTS workflow_schedule (
	-- The workflow. -> workflow
	workflow_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The version that has the schedule.
	version INT NOT NULL,
	-- Epoch ms of the next tick.
	next_at BIGINT NOT NULL,
	-- Epoch ms up to which ticks are over.
	since BIGINT NOT NULL,
	PRIMARY KEY (workflow_id),
	KEY next_at (next_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
