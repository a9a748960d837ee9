-- SPDX-License-Identifier: MIT
-- Broadcasts. content: what the requests gave, a JSON object; brief: the same without html and text, for lists. status, pause_reason: see store/broadcast.h. is_testing: paused while it was testing.
-- local_time: YYYY-MM-DDTHH:MM on each person's own clock; time_zone: of people without one. spread: ms. place: the id of
-- the last person that the start has looked at. due: when the spool has something to do; NULL: nothing.
CREATE TABLE IF NOT EXISTS broadcast (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	content LONGTEXT NOT NULL,
	brief MEDIUMTEXT NOT NULL,
	status TINYINT NOT NULL,
	pause_reason TINYINT NULL,
	is_testing TINYINT NOT NULL DEFAULT 0,
	error VARCHAR(1000) NULL,
	winner TINYINT NULL,
	scheduled_at BIGINT NULL,
	local_time VARCHAR(16) CHARACTER SET ascii NULL,
	time_zone VARCHAR(64) CHARACTER SET ascii NULL,
	spread BIGINT NOT NULL DEFAULT 0,
	started_at BIGINT NULL,
	completed_at BIGINT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	due BIGINT NULL,
	place BINARY(16) NULL,
	PRIMARY KEY (id),
	KEY newest (workspace_id, id),
	KEY due (due)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- What became of the recipients: the sums over the 16 rows of each variant. Each connection changes its own row, so that
-- parallel writers do not wait for each other. tried: the relay has answered about them.
CREATE TABLE IF NOT EXISTS broadcast_counter (
	broadcast_id BINARY(16) NOT NULL,
	variant TINYINT NOT NULL,
	stripe TINYINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	recipients BIGINT NOT NULL DEFAULT 0,
	excluded BIGINT NOT NULL DEFAULT 0,
	sent BIGINT NOT NULL DEFAULT 0,
	skipped BIGINT NOT NULL DEFAULT 0,
	failed BIGINT NOT NULL DEFAULT 0,
	cancelled BIGINT NOT NULL DEFAULT 0,
	tried BIGINT NOT NULL DEFAULT 0,
	bounced BIGINT NOT NULL DEFAULT 0,
	complained BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (broadcast_id, variant, stripe)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
