-- SPDX-License-Identifier: MIT
-- The outbox: a row is one message to send, with the recipients that it has not reached yet (numbers of recipient, two
-- bytes each, big-endian). ready_at: when it may be claimed; a claim moves it to the end of the lease; NULL is held.
-- since: acceptance or scheduled time, from which the retry schedule counts. delayed_at: time of the last delayed
-- event.
CREATE TABLE IF NOT EXISTS outbox (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	email_id BINARY(16) NOT NULL,
	recipients VARBINARY(300) NOT NULL,
	attempts SMALLINT NOT NULL,
	since BIGINT NOT NULL,
	delayed_at BIGINT NULL,
	ready_at BIGINT NULL,
	owner VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NULL,
	token BIGINT NULL,
	PRIMARY KEY (id),
	KEY ready_at (ready_at),
	KEY email (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
