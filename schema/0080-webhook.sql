-- SPDX-License-Identifier: MIT
-- Webhooks: URLs of customers to which events are posted. events: a bit for each type of enum store_webhook_type.
-- secret, previous_secret: encrypted as in domain_key; the previous one signs too until previous_expires.
-- disabled_reason: see enum store_webhook_reason. failing_since: first of an unbroken series of failed attempts.
-- failures: length of that series. rest_until: no attempt before then. slow: its last answer took long or was a failure,
-- or there was none yet. owner, token, lease_until: the process that tells it its deliveries now, the fence of its
-- results, and until when; NULL, NULL, 0: none.
CREATE TABLE IF NOT EXISTS webhook (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	url VARCHAR(2048) NOT NULL,
	events INT UNSIGNED NOT NULL,
	enabled TINYINT NOT NULL,
	batch TINYINT NOT NULL,
	description VARCHAR(200) NOT NULL,
	created BIGINT NOT NULL,
	secret VARBINARY(200) NOT NULL,
	previous_secret VARBINARY(200) NULL,
	previous_expires BIGINT NULL,
	disabled_reason TINYINT NULL,
	failing_since BIGINT NULL,
	failures INT NOT NULL DEFAULT 0,
	rest_until BIGINT NOT NULL DEFAULT 0,
	slow TINYINT NOT NULL DEFAULT 1,
	owner VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NULL,
	token BIGINT NULL,
	lease_until BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (id),
	KEY workspace (workspace_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Events about contacts, domains, executions, and tests. data: the member "data" as JSON, as it was at that time.
-- Recipients' events have no row here: they are read from event, recipient and email. An email that is scheduled or
-- cancelled has one; its data is the time scheduled_at of that moment, the rest is read from email.
-- about: the address of the person, or the id of the email; NULL for domains and tests. The erasure searches by it.
CREATE TABLE IF NOT EXISTS webhook_event (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	created BIGINT NOT NULL,
	type TINYINT NOT NULL,
	about VARBINARY(254) NULL,
	data MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY created (created),
	KEY about (workspace_id, about)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- An event that a webhook is to be told, or was told. id: begins with the time at which the row was made, so the primary
-- key has them in the order of time. event_id: of event or webhook_event; the webhook-id of each attempt. type: see
-- enum store_webhook_type. email_id: of an event of an email, NULL for others. created: the time of
-- the event. status: see enum store_delivery_status. attempts: since it was created or replayed. made: attempts in all.
-- next_attempt: when a pending delivery is due; NULL when done, and for webhook.test. batch_id: see webhook_batch.
CREATE TABLE IF NOT EXISTS webhook_delivery (
	webhook_id BINARY(16) NOT NULL,
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	event_id BINARY(16) NOT NULL,
	type TINYINT NOT NULL,
	email_id BINARY(16) NULL,
	created BIGINT NOT NULL,
	status TINYINT NOT NULL,
	attempts TINYINT NOT NULL,
	made SMALLINT NOT NULL DEFAULT 0,
	next_attempt BIGINT NULL,
	batch_id BINARY(16) NULL,
	PRIMARY KEY (webhook_id, id),
	KEY due (webhook_id, status, next_attempt, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Deliveries that are sent together, as one request with this id, until it is done. members: the ids of the deliveries,
-- one behind the other, in the order in which they are told.
CREATE TABLE IF NOT EXISTS webhook_batch (
	webhook_id BINARY(16) NOT NULL,
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	members VARBINARY(1600) NOT NULL,
	PRIMARY KEY (webhook_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Attempts to tell a delivery, kept as long as the delivery. number: from 1, over replays. response_body: the first
-- 1,024 bytes of the answer, made valid UTF-8.
CREATE TABLE IF NOT EXISTS webhook_attempt (
	webhook_id BINARY(16) NOT NULL,
	delivery_id BINARY(16) NOT NULL,
	number SMALLINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	timestamp BIGINT NOT NULL,
	response_status SMALLINT NULL,
	duration INT NOT NULL,
	response_body TEXT NOT NULL,
	error VARCHAR(500) NULL,
	PRIMARY KEY (webhook_id, delivery_id, number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
