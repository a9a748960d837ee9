-- SPDX-License-Identifier: MIT
-- Emails, their recipients and events, and the outbox from which they are sent.

-- Emails, each with one row for all of its recipients.
CREATE TABLE IF NOT EXISTS email (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The domain of the sender. -> domain
	domain_id BINARY(16) NOT NULL,
	-- See enum store_email_type.
	type TINYINT NOT NULL,
	-- The From header, with name.
	sender VARCHAR(2048) NOT NULL,
	-- The To header, a list of RFC 5322 in UTF-8, with names.
	to_list MEDIUMTEXT NOT NULL,
	-- The Cc header, likewise; NULL: none.
	cc_list MEDIUMTEXT NULL,
	-- The blind copies, likewise; NULL: none.
	bcc_list MEDIUMTEXT NULL,
	-- The Reply-To header, likewise; NULL: none.
	reply_to MEDIUMTEXT NULL,
	-- The subject as it was sent.
	subject MEDIUMTEXT NOT NULL,
	-- The template that it was made from; NULL: none. -> template
	template_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The values of the variables, a JSON object of texts; NULL: none.
	variables LONGTEXT NULL,
	-- Further headers, a JSON object; NULL: none.
	headers MEDIUMTEXT NULL,
	-- All its tags, a JSON object; NULL: none.
	tags TEXT NULL,
	-- Epoch ms of the request.
	created BIGINT NOT NULL,
	-- Epoch ms at which it shall be sent; NULL: at once.
	scheduled_at BIGINT NULL,
	-- Epoch ms at which the relay first accepted it, where its recipients do not have it, and as earlier versions
	-- read it; NULL: else.
	sent BIGINT NULL,
	-- Epoch ms at which it was cancelled; NULL: it was not.
	cancelled BIGINT NULL,
	-- See enum store_email_tracking; an email with tracking leaves as one message for each recipient.
	tracking TINYINT NOT NULL DEFAULT 0,
	-- The address in sender, without the name, for lists of a sender's emails.
	sender_address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci GENERATED ALWAYS AS (left(convert(trim(trailing '>' from substring_index(sender,'<',-1)) using ascii),254)) STORED,
	-- The workflow that sent it; it stays when the execution goes; NULL: none. -> workflow
	workflow_id BINARY(16) NULL,
	-- The node of the workflow that sent it; NULL: none.
	step_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL,
	-- The tags that its events are counted for, see store/figure.h; NULL: none.
	counted_tags BLOB NULL,
	-- The topic that it is about; NULL: none. -> topic
	topic_id BINARY(16) NULL,
	PRIMARY KEY (workspace_id,id),
	KEY sender (workspace_id,sender_address,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The html and text that an email alone has; larger ones, and those of templates, are in body.
CREATE TABLE IF NOT EXISTS email_content (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Both, packed and compressed, see lib/store/content.h.
	data MEDIUMBLOB NOT NULL,
	PRIMARY KEY (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The parts of an email that stand in body.
CREATE TABLE IF NOT EXISTS email_part (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- 0 is the html, 1 the text, from 2 on the attachments.
	number SMALLINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- See enum store_email_part_role.
	role TINYINT NOT NULL,
	-- The name of an attachment; NULL: none.
	filename VARCHAR(255) NULL,
	-- The media type; NULL: the default of its role.
	content_type VARCHAR(127) NULL,
	-- The Content-ID by which the html names it; NULL: none.
	content_id VARCHAR(128) NULL,
	-- The hash of the content. -> body
	body BINARY(32) NOT NULL,
	PRIMARY KEY (email_id,number),
	KEY body (workspace_id,body),
	CONSTRAINT email_part_body FOREIGN KEY (workspace_id, body) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The tags of emails, each with a row, for lists of the emails that have one.
CREATE TABLE IF NOT EXISTS email_tag (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The name of the tag.
	name VARCHAR(256) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Its value.
	value VARCHAR(256) NOT NULL,
	PRIMARY KEY (email_id,name),
	KEY name (workspace_id,name,email_id),
	KEY value (workspace_id,name,value,email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- Envelope recipients of an email, each address once.
CREATE TABLE IF NOT EXISTS recipient (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The number of the recipient, from 0.
	number SMALLINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- See enum store_email_recipient_kind.
	kind TINYINT NOT NULL,
	-- The address as the relay gets it.
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	-- The status of the latest event, see enum store_event_status; NULL: none yet.
	status TINYINT NULL,
	-- Epoch ms of the latest event; NULL: none yet.
	status_at BIGINT NULL,
	-- The latest event; NULL: none yet. -> event
	event_id BINARY(16) NULL,
	-- The number of recorded opens and clicks, which is limited.
	visits INT NOT NULL DEFAULT 0,
	-- Epoch ms of the first open that no program made; 0: none; NULL: none, or one that an earlier version did not
	-- note.
	opened_at BIGINT NULL,
	-- Epoch ms of the first click, likewise.
	clicked_at BIGINT NULL,
	-- Its replies that were recorded; they outlive their events.
	replied TINYINT UNSIGNED NOT NULL DEFAULT 0,
	-- Epoch ms at which the relay first accepted a message for it; NULL: not yet, or an earlier version wrote it
	-- into the email.
	sent_at BIGINT NULL,
	PRIMARY KEY (email_id,number),
	KEY address (workspace_id,address,email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Recipients whose latest status is rare: neither sent nor delivered. Those of broadcasts have none. A row may be of a
-- status that the recipient had before.
CREATE TABLE IF NOT EXISTS recipient_status (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- See enum store_event_status.
	status TINYINT NOT NULL,
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The number of the recipient. -> recipient
	number SMALLINT NOT NULL,
	PRIMARY KEY (workspace_id,status,email_id,number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The events of each recipient.
CREATE TABLE IF NOT EXISTS event (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The number of the recipient. -> recipient
	recipient SMALLINT NOT NULL,
	-- See enum store_event_status.
	status TINYINT NOT NULL,
	-- Epoch ms of the event.
	timestamp BIGINT NOT NULL,
	-- The answer of a server; NULL: none.
	smtp_response VARCHAR(600) NULL,
	-- The enhanced status code of RFC 3463; NULL: none.
	enhanced_code VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- See enum store_bounce_type; NULL: no bounce.
	bounce_type TINYINT NULL,
	-- The network address of an open or a click; NULL: none.
	ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The User-Agent of an open or a click; NULL: none.
	user_agent VARCHAR(512) NULL,
	-- The URL that was clicked; NULL: none.
	link VARCHAR(4096) NULL,
	-- 1: a program, not the reader, made the open or click.
	automated TINYINT NOT NULL DEFAULT 0,
	-- The name of the relay that the event is about; NULL: none, or an event of an earlier version.
	relay VARCHAR(260) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	PRIMARY KEY (email_id,recipient,timestamp,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The messages to send, each with the recipients that it has not reached yet.
CREATE TABLE IF NOT EXISTS outbox (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The numbers of the recipients, two bytes each, big-endian.
	recipients VARBINARY(300) NOT NULL,
	-- The attempts so far.
	attempts SMALLINT NOT NULL,
	-- Epoch ms of acceptance or of the scheduled time, from which the retry schedule counts.
	since BIGINT NOT NULL,
	-- Epoch ms of the last delayed event; NULL: none.
	delayed_at BIGINT NULL,
	-- Epoch ms from which on it may be claimed; a claim moves it to the end of the lease; NULL: it is held.
	ready_at BIGINT NULL,
	-- The process that has claimed it; NULL: none.
	owner VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The token of the claim; NULL: none.
	token BIGINT NULL,
	-- The number of processes that died while they composed it; from two on a child process composes it.
	deaths TINYINT NOT NULL DEFAULT 0,
	-- The sum of the sentence that the last delayed event had about a relay, so that it is not repeated; NULL: none.
	told BIGINT NULL,
	-- A sentence that says why it waits without an attempt; NULL: the last event of its recipients says why.
	reason VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	-- The day on which all its recipients have permission in domain_sent; NULL: none.
	permit INT NULL,
	-- 1: its recipients are test addresses, and it goes to no relay.
	is_test TINYINT NOT NULL DEFAULT 0,
	-- 1: of a broadcast, so that other mail goes first.
	is_bulk TINYINT NOT NULL DEFAULT 0,
	-- Epoch ms by which it takes its turn: its ready_at when it was stored or put off; NULL: it is held.
	turn_at BIGINT DEFAULT ready_at,
	-- Epoch ms by which claims find it: ready_at, or turn_at while a process has claimed it, so that a claim moves
	-- no entry of a key.
	due_at BIGINT GENERATED ALWAYS AS (if(owner is null,ready_at,turn_at)) VIRTUAL,
	PRIMARY KEY (email_id,id),
	KEY due (is_bulk,due_at),
	KEY turn (workspace_id,is_bulk,turn_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Delivery reports that were recorded, each once for an email, since one may arrive again.
CREATE TABLE IF NOT EXISTS report (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The digest of the report, see mail/report.h.
	digest BINARY(32) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms of the record.
	created BIGINT NOT NULL,
	PRIMARY KEY (email_id,digest)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Statements of reports that prove too little to suppress an address, kept until enough of them agree.
CREATE TABLE IF NOT EXISTS hearsay (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The number of the recipient. -> recipient
	recipient SMALLINT NOT NULL,
	-- See enum store_hearsay.
	verdict TINYINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms of the first such report.
	created BIGINT NOT NULL,
	PRIMARY KEY (email_id,recipient,verdict),
	KEY created (created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Emails with an erased recipient that still have to reach others, after which their contents are removed.
CREATE TABLE IF NOT EXISTS erasure (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Idempotency keys and the answers that they replay, for a day.
CREATE TABLE IF NOT EXISTS idempotency (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The key that the client gave.
	name VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
	-- The SHA-256 of route and body.
	request BINARY(32) NOT NULL,
	-- The body of the answer.
	answer MEDIUMTEXT NOT NULL,
	-- Epoch ms of the answer.
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,name),
	KEY created (created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The streams of a workspace that somebody has paused or given a pace.
CREATE TABLE IF NOT EXISTS stream (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- See enum store_stream.
	stream TINYINT NOT NULL,
	-- 1: its mail waits.
	paused TINYINT NOT NULL,
	-- The most recipients in a clock hour (UTC); 0: any number.
	per_hour INT NOT NULL,
	-- Why, as it was given; NULL: none.
	reason VARCHAR(500) NULL,
	-- Epoch ms of the last change.
	changed BIGINT NOT NULL,
	-- The hour since 1970 that is counted.
	hour BIGINT NOT NULL DEFAULT 0,
	-- The recipients of that hour.
	used INT NOT NULL DEFAULT 0,
	-- Epoch ms of the last turn that was given to mail that waits for a later hour.
	booked BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (workspace_id,stream)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
