-- SPDX-License-Identifier: MIT
-- Segments: rules that choose people. rules: JSON as given. state: see enum store_segment_state. frozen_at: of a segment
-- that keeps its people, epoch ms; people: their number.
CREATE TABLE IF NOT EXISTS segment (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	name VARCHAR(100) NOT NULL,
	rules MEDIUMTEXT NOT NULL,
	state TINYINT NOT NULL,
	frozen_at BIGINT NULL,
	people BIGINT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id, state, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The people of frozen segments.
CREATE TABLE IF NOT EXISTS segment_member (
	segment_id BINARY(16) NOT NULL,
	person_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (segment_id, person_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
