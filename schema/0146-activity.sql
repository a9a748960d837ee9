-- SPDX-License-Identifier: MIT
-- What mailings last did at an address: the times of the newest event of each kind, epoch ms, 0 for none. Opens and
-- clicks are those of people. A row needs no person: one who comes later has it.
CREATE TABLE IF NOT EXISTS person_activity (
	workspace_id BINARY(16) NOT NULL,
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	sent BIGINT NOT NULL,
	opened BIGINT NOT NULL,
	clicked BIGINT NOT NULL,
	bounced BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, address)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
