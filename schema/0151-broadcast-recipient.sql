-- SPDX-License-Identifier: MIT
-- The people who get a broadcast, one row for each, made when it starts. queue: the variant that the row waits for; 5:
-- it waits until the winner is known; NULL: it waits no more. status, reason: see enum store_broadcast_fate and
-- store_broadcast_reason. marks: see enum store_broadcast_mark. due: epoch ms. email_id, number: of the part with which it
-- left. The order of the primary key is that of a list's pages.
CREATE TABLE IF NOT EXISTS broadcast_recipient (
	broadcast_id BINARY(16) NOT NULL,
	person_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	variant TINYINT NOT NULL,
	queue TINYINT NULL,
	status TINYINT NOT NULL,
	reason TINYINT NOT NULL DEFAULT 0,
	marks TINYINT NOT NULL DEFAULT 0,
	due BIGINT NOT NULL,
	email_id BINARY(16) NULL,
	number SMALLINT NULL,
	PRIMARY KEY (broadcast_id, person_id),
	KEY queue (broadcast_id, queue, due)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The audiences of a broadcast that is to leave.
CREATE TABLE IF NOT EXISTS broadcast_audience (
	broadcast_id BINARY(16) NOT NULL,
	audience_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (broadcast_id, audience_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The content of each variant, as it was when the broadcast was sent: an email without recipients, with subject, html and
-- text unfilled. Its parts are copies of it.
CREATE TABLE IF NOT EXISTS broadcast_model (
	broadcast_id BINARY(16) NOT NULL,
	variant TINYINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	email_id BINARY(16) NOT NULL,
	PRIMARY KEY (broadcast_id, variant),
	KEY email (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The parts of a broadcast: emails to some of its people. people: their ids, in the order of the email's recipients.
CREATE TABLE IF NOT EXISTS broadcast_part (
	email_id BINARY(16) NOT NULL,
	broadcast_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	variant TINYINT NOT NULL,
	people BLOB NOT NULL,
	PRIMARY KEY (email_id),
	KEY broadcast (broadcast_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- is_complete: all recipients have their rows. topic_id: of one that is to leave.
ALTER TABLE broadcast
	ADD COLUMN IF NOT EXISTS is_complete TINYINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS topic_id BINARY(16) NULL;

-- taken: recipients whose turn has come.
ALTER TABLE broadcast_counter ADD COLUMN IF NOT EXISTS taken BIGINT NOT NULL DEFAULT 0;

-- The start goes through people in the order of their ids.
ALTER TABLE person ADD INDEX IF NOT EXISTS cohort (workspace_id, id, address, is_subscribed);
