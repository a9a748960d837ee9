-- SPDX-License-Identifier: MIT
-- The routes of a stream of mail, in place of relays.
ALTER TABLE domain
	ADD COLUMN IF NOT EXISTS relays_transactional VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	ADD COLUMN IF NOT EXISTS relays_automation VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	ADD COLUMN IF NOT EXISTS relays_broadcast VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL;
-- stream_limits: the streams that are paused or have a pace.
ALTER TABLE workspace
	ADD COLUMN IF NOT EXISTS relays_transactional VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	ADD COLUMN IF NOT EXISTS relays_automation VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	ADD COLUMN IF NOT EXISTS relays_broadcast VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	ADD COLUMN IF NOT EXISTS stream_limits TINYINT NOT NULL DEFAULT 0;
-- Streams of a workspace that somebody has paused or given a pace.
CREATE TABLE IF NOT EXISTS stream (
	workspace_id BINARY(16) NOT NULL,
	stream TINYINT NOT NULL,
	paused TINYINT NOT NULL,
	per_hour INT NOT NULL,
	reason VARCHAR(500) NULL,
	changed BIGINT NOT NULL,
	hour BIGINT NOT NULL DEFAULT 0,
	used INT NOT NULL DEFAULT 0,
	booked BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (workspace_id, stream)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
