-- SPDX-License-Identifier: MIT
-- Looks at the people of a workspace, for segments and dates that workflows hear. began, ended: epoch ms of the last one; ended 0: it goes on behind place. before_began: of the one before it; 0: none. next_at: of the next one. taken: until when a process holds it.
CREATE TABLE IF NOT EXISTS workspace_look (
	workspace_id BINARY(16) NOT NULL,
	began BIGINT NOT NULL,
	ended BIGINT NOT NULL,
	before_began BIGINT NOT NULL,
	next_at BIGINT NOT NULL,
	place BINARY(16) NOT NULL,
	taken BIGINT NOT NULL,
	PRIMARY KEY (workspace_id),
	KEY next_at (next_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Segments that are heard. rules: a hash of the rules by which it was looked at. settled: a whole look has stored who is in by these. look: epoch ms of the look that it takes part in.
CREATE TABLE IF NOT EXISTS segment_look (
	workspace_id BINARY(16) NOT NULL,
	segment_id BINARY(16) NOT NULL,
	rules BINARY(16) NOT NULL,
	settled TINYINT NOT NULL,
	look BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, segment_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Who was in a heard segment when it was looked at last.
CREATE TABLE IF NOT EXISTS segment_in (
	segment_id BINARY(16) NOT NULL,
	person_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (segment_id, person_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Days on which a date has started a workflow for a person. day: of the common era, as in GDate. moment: epoch ms.
CREATE TABLE IF NOT EXISTS workflow_date (
	workflow_id BINARY(16) NOT NULL,
	person_id BINARY(16) NOT NULL,
	day INT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	moment BIGINT NOT NULL,
	PRIMARY KEY (workflow_id, person_id, day),
	KEY moment (workspace_id, moment)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
