-- SPDX-License-Identifier: MIT
-- Broadcasts and the people who get them.

-- Broadcasts.
CREATE TABLE IF NOT EXISTS broadcast (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The members that the requests gave, a JSON object.
	content LONGTEXT NOT NULL,
	-- The same without html and text, for lists.
	brief MEDIUMTEXT NOT NULL,
	-- See enum store_broadcast_status.
	status TINYINT NOT NULL,
	-- See enum store_broadcast_pause; NULL: it is not paused.
	pause_reason TINYINT NULL,
	-- 1: it was paused while it tested its variants.
	is_testing TINYINT NOT NULL DEFAULT 0,
	-- The reason for which it failed; NULL: none.
	error VARCHAR(1000) NULL,
	-- The variant that has won; NULL: none yet.
	winner TINYINT NULL,
	-- Epoch ms at which it shall start; NULL: at once, or by local_time.
	scheduled_at BIGINT NULL,
	-- YYYY-MM-DDTHH:MM on each person's own clock; NULL: at one time for all.
	local_time VARCHAR(16) CHARACTER SET ascii COLLATE ascii_general_ci NULL,
	-- The time zone of people without one; NULL: UTC.
	time_zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_general_ci NULL,
	-- The ms over which it is spread.
	spread BIGINT NOT NULL DEFAULT 0,
	-- Epoch ms of the start; NULL: not yet.
	started_at BIGINT NULL,
	-- Epoch ms of the end; NULL: not yet.
	completed_at BIGINT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	-- Epoch ms at which the spool has something to do; NULL: nothing.
	due BIGINT NULL,
	-- The last person that the start has looked at; NULL: none yet. -> person
	place BINARY(16) NULL,
	-- 1: all recipients have their rows.
	is_complete TINYINT NOT NULL DEFAULT 0,
	-- The topic of one that is to leave; NULL: none. -> topic
	topic_id BINARY(16) NULL,
	-- Epoch ms at which the winner of the variants is known; NULL: by hand, not tested, or not yet.
	decide_at BIGINT NULL,
	-- Epoch ms since which it is judged anew; NULL: since its start.
	resumed_at BIGINT NULL,
	-- The counter tried as it was then.
	tried_before BIGINT NOT NULL DEFAULT 0,
	-- The counter bounced as it was then.
	bounced_before BIGINT NOT NULL DEFAULT 0,
	-- The counter complained as it was then.
	complained_before BIGINT NOT NULL DEFAULT 0,
	-- The rules of its segments as they were at the start, a JSON object by their ids; NULL: before, and when all
	-- recipients have their rows.
	rules LONGTEXT NULL,
	-- 1: it was made under /resend, where addresses @resend.dev are test addresses.
	of_resend TINYINT NOT NULL DEFAULT 0,
	-- 1: some message of it had no visible link to unsubscribe, and got a footer with one.
	lacks_link TINYINT NOT NULL DEFAULT 0,
	PRIMARY KEY (id),
	KEY newest (workspace_id,id),
	KEY due (due)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The audiences of a broadcast that is to leave.
CREATE TABLE IF NOT EXISTS broadcast_audience (
	-- The broadcast. -> broadcast
	broadcast_id BINARY(16) NOT NULL,
	-- The audience. -> audience
	audience_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (broadcast_id,audience_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The fate of the recipients: the sums over the 16 rows of each variant.
CREATE TABLE IF NOT EXISTS broadcast_counter (
	-- The broadcast. -> broadcast
	broadcast_id BINARY(16) NOT NULL,
	-- The variant.
	variant TINYINT NOT NULL,
	-- The row of the connection that adds, so that parallel writers do not wait for each other.
	stripe TINYINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The people who get it.
	recipients BIGINT NOT NULL DEFAULT 0,
	-- The people who are left out.
	excluded BIGINT NOT NULL DEFAULT 0,
	-- The people to whom it was sent.
	sent BIGINT NOT NULL DEFAULT 0,
	-- The people who were skipped when their turn came.
	skipped BIGINT NOT NULL DEFAULT 0,
	-- The people for whom it failed.
	failed BIGINT NOT NULL DEFAULT 0,
	-- The people for whom it was cancelled.
	cancelled BIGINT NOT NULL DEFAULT 0,
	-- The people about whom the relay has answered.
	tried BIGINT NOT NULL DEFAULT 0,
	-- The people whose address bounced.
	bounced BIGINT NOT NULL DEFAULT 0,
	-- The people who complained.
	complained BIGINT NOT NULL DEFAULT 0,
	-- The people whose turn has come.
	taken BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (broadcast_id,variant,stripe)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The people who get a broadcast, one row for each, made when it starts, in the order of a list's pages.
CREATE TABLE IF NOT EXISTS broadcast_recipient (
	-- The broadcast. -> broadcast
	broadcast_id BINARY(16) NOT NULL,
	-- The person. -> person
	person_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The variant that the person gets.
	variant TINYINT NOT NULL,
	-- The variant that the row waits for; 5: it waits until the winner is known; NULL: it waits no more.
	queue TINYINT NULL,
	-- See enum store_broadcast_fate.
	status TINYINT NOT NULL,
	-- See enum store_broadcast_reason.
	reason TINYINT NOT NULL DEFAULT 0,
	-- See enum store_broadcast_mark.
	marks TINYINT NOT NULL DEFAULT 0,
	-- Epoch ms at which its turn comes.
	due BIGINT NOT NULL,
	-- The part with which it left; zeros: it has not, and the row has its size from the beginning. -> broadcast_part
	email_id BINARY(16) NOT NULL DEFAULT 0x00000000000000000000000000000000,
	-- The number of the recipient in that part.
	number SMALLINT NOT NULL DEFAULT 0,
	-- Epoch ms at which the person first was sent it; 0: not.
	sent_at BIGINT NOT NULL DEFAULT 0,
	-- Epoch ms at which the person first opened it; 0: not.
	opened_at BIGINT NOT NULL DEFAULT 0,
	-- Epoch ms at which the person first clicked in it; 0: not.
	clicked_at BIGINT NOT NULL DEFAULT 0,
	-- The status of the person's latest event, once the email has gone.
	outcome TINYINT NOT NULL DEFAULT 0,
	PRIMARY KEY (broadcast_id,person_id),
	KEY queue (broadcast_id,queue,due)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The content of each variant as it was at the start: an email without recipients, whose parts are copies of it.
CREATE TABLE IF NOT EXISTS broadcast_model (
	-- The broadcast. -> broadcast
	broadcast_id BINARY(16) NOT NULL,
	-- The variant.
	variant TINYINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	PRIMARY KEY (broadcast_id,variant),
	KEY email (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The parts of a broadcast: emails to some of its people.
CREATE TABLE IF NOT EXISTS broadcast_part (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The broadcast. -> broadcast
	broadcast_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The variant.
	variant TINYINT NOT NULL,
	-- The ids of the people, in the order of the email's recipients.
	people BLOB NOT NULL,
	PRIMARY KEY (email_id),
	KEY broadcast (broadcast_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The files that every message of a broadcast has.
CREATE TABLE IF NOT EXISTS broadcast_attachment (
	-- The id that clients know.
	id BINARY(16) NOT NULL,
	-- The broadcast that has it. -> broadcast
	broadcast_id BINARY(16) NOT NULL,
	-- Its workspace. -> workspace
	workspace_id BINARY(16) NOT NULL,
	-- The order of a broadcast's attachments.
	number SMALLINT NOT NULL,
	-- Its name in the messages.
	filename VARCHAR(255) NOT NULL,
	-- Its type, without parameters that encode it.
	content_type VARCHAR(127) NOT NULL,
	-- The Content-ID by which html names it; NULL: none.
	content_id VARCHAR(128) NULL,
	-- Its bytes before they are encoded.
	size BIGINT NOT NULL,
	-- The SHA-256 of its content. -> body
	body BINARY(32) NOT NULL,
	PRIMARY KEY (id),
	KEY broadcast (broadcast_id,number),
	KEY body (workspace_id,body),
	CONSTRAINT broadcast_attachment_body FOREIGN KEY (workspace_id, body) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The newest versions of broadcasts' contents, the one that each has among them; none of one that was not changed since
-- they are kept.
CREATE TABLE IF NOT EXISTS broadcast_version (
	-- The broadcast. -> broadcast
	broadcast_id BINARY(16) NOT NULL,
	-- Its number, from 1.
	version INT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms of the change that made it.
	created BIGINT NOT NULL,
	-- The address of the user, or the id of the key; NULL: not known.
	created_by VARCHAR(254) NULL,
	-- As content of the broadcast.
	content LONGTEXT NOT NULL,
	PRIMARY KEY (broadcast_id,version),
	CONSTRAINT broadcast_version_of FOREIGN KEY (broadcast_id) REFERENCES broadcast (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
