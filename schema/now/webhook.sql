-- SPDX-License-Identifier: MIT
-- Webhooks, the events that they are told, and the log of requests under /resend.

-- URLs of customers to which events are posted.
CREATE TABLE IF NOT EXISTS webhook (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The URL.
	url VARCHAR(2048) NOT NULL,
	-- A bit for each type of enum store_webhook_type.
	events BIGINT UNSIGNED NOT NULL,
	-- 0: it is told nothing.
	enabled TINYINT NOT NULL,
	-- The most events that one request tells.
	batch TINYINT NOT NULL,
	-- The description; '' for none.
	description VARCHAR(200) NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- The secret that signs requests, encrypted as in domain_key.
	secret VARBINARY(200) NOT NULL,
	-- The secret of before, which signs too until previous_expires; NULL: none.
	previous_secret VARBINARY(200) NULL,
	-- Epoch ms at which it ends; NULL: none.
	previous_expires BIGINT NULL,
	-- See enum store_webhook_reason; NULL: none.
	disabled_reason TINYINT NULL,
	-- Epoch ms of the first of an unbroken series of failed attempts; NULL: none.
	failing_since BIGINT NULL,
	-- The length of that series.
	failures INT NOT NULL DEFAULT 0,
	-- Epoch ms before which there is no attempt.
	rest_until BIGINT NOT NULL DEFAULT 0,
	-- 1: its last answer took long or was a failure, or there was none yet.
	slow TINYINT NOT NULL DEFAULT 1,
	-- The process that makes its deliveries now; NULL: none.
	owner VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The fence of that process's results; NULL: none.
	token BIGINT NULL,
	-- Epoch ms until which that process has it; 0: nobody has.
	lease_until BIGINT NOT NULL DEFAULT 0,
	-- See enum store_webhook_form.
	form TINYINT NOT NULL DEFAULT 0,
	PRIMARY KEY (id),
	KEY workspace (workspace_id,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Events of people, domains, executions and tests; those of recipients are read from event, recipient and email.
CREATE TABLE IF NOT EXISTS webhook_event (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- See enum store_webhook_type.
	type TINYINT NOT NULL,
	-- The address of the person or the id of the email, by which the erasure searches; NULL for domains and tests.
	about VARBINARY(254) NULL,
	-- The member data as it was at that time, JSON; of an email that is scheduled or cancelled the time
	-- scheduled_at.
	data MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY created (created),
	KEY about (workspace_id,about)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Events that a webhook is to be told, or was told.
CREATE TABLE IF NOT EXISTS webhook_delivery (
	-- The webhook. -> webhook
	webhook_id BINARY(16) NOT NULL,
	-- A UUID version 7, so that the primary key has the order of time.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The row of event or webhook_event; the webhook-id of each attempt. -> webhook_event
	event_id BINARY(16) NOT NULL,
	-- See enum store_webhook_type.
	type TINYINT NOT NULL,
	-- The email that the event is about; NULL for others. -> event
	email_id BINARY(16) NULL,
	-- Epoch ms of the event.
	created BIGINT NOT NULL,
	-- See enum store_delivery_status.
	status TINYINT NOT NULL,
	-- The attempts since it was created or replayed.
	attempts TINYINT NOT NULL,
	-- The attempts in all.
	made SMALLINT NOT NULL DEFAULT 0,
	-- Epoch ms at which a pending delivery is due; NULL: it is done, or a webhook.test.
	next_attempt BIGINT NULL,
	-- The request in which it is sent with others; NULL: alone. -> webhook_batch
	batch_id BINARY(16) NULL,
	-- The number of the recipient of that event; NULL: of no email, or stored by an earlier version.
	recipient SMALLINT NULL,
	PRIMARY KEY (webhook_id,id),
	KEY due (webhook_id,status,next_attempt,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Deliveries that are sent together, as one request, until it is done.
CREATE TABLE IF NOT EXISTS webhook_batch (
	-- The webhook. -> webhook
	webhook_id BINARY(16) NOT NULL,
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The ids of the deliveries, one behind the other, in the order of the request.
	members VARBINARY(1600) NOT NULL,
	PRIMARY KEY (webhook_id,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Attempts to make a delivery, kept as long as the delivery.
CREATE TABLE IF NOT EXISTS webhook_attempt (
	-- The webhook.
	webhook_id BINARY(16) NOT NULL,
	-- The delivery. -> webhook_delivery
	delivery_id BINARY(16) NOT NULL,
	-- The number of the attempt, from 1, over replays.
	number SMALLINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms of the attempt.
	timestamp BIGINT NOT NULL,
	-- The status of the answer; NULL: none.
	response_status SMALLINT NULL,
	-- The ms until the end of the answer.
	duration INT NOT NULL,
	-- The first 1,024 bytes of the answer, made valid UTF-8.
	response_body TEXT NOT NULL,
	-- The reason for which there was no answer; NULL: there was one.
	error VARCHAR(500) NULL,
	PRIMARY KEY (webhook_id,delivery_id,number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Requests under /resend that were answered, while [resend] logs is on.
CREATE TABLE IF NOT EXISTS resend_log (
	-- The X-Request-Id of the answer, which begins with the time of the request.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The path behind /resend.
	endpoint VARCHAR(2048) NOT NULL,
	-- The method of the request.
	method VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The status of the answer.
	status SMALLINT NOT NULL,
	-- The User-Agent of the client; NULL: none.
	user_agent VARCHAR(512) NULL,
	-- The body of the request as JSON, without contents and secrets; NULL: none, no JSON, or too large.
	request MEDIUMTEXT NULL,
	-- The body of the answer, likewise.
	response MEDIUMTEXT NULL,
	PRIMARY KEY (id),
	KEY newest (workspace_id,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
