-- SPDX-License-Identifier: MIT
-- The record of the schema itself; lib/store/schema.c, which reads it, explains the mark of a new installation.

-- The numbered steps that were applied to the database.
CREATE TABLE IF NOT EXISTS schema_version (
	-- The number of the step; 0 is the mark of a new installation that is not done.
	version INT NOT NULL,
	-- The name of the step's file, or the digest of schema/now beside the mark.
	name VARCHAR(100) NOT NULL,
	-- Epoch ms of the end of the step.
	applied BIGINT NOT NULL,
	PRIMARY KEY (version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The schema up to which the programs of a line work together.
CREATE TABLE IF NOT EXISTS schema_release (
	-- The line: the first two numbers of a program's version, and the step from which on older ones do harm.
	minor VARCHAR(20) NOT NULL,
	-- The greatest step that a program of the line has applied.
	version INT NOT NULL,
	PRIMARY KEY (minor)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
