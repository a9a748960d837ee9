-- SPDX-License-Identifier: MIT
-- The number of recipients to whom a workspace with a quota has sent in an hour or a day of the clock (UTC). period:
-- see enum store_quota_period. start: the start of the period. most: the quota, which the table enforces.
CREATE TABLE IF NOT EXISTS email_quota (
	workspace_id BINARY(16) NOT NULL,
	period TINYINT NOT NULL,
	start BIGINT NOT NULL,
	used BIGINT NOT NULL,
	most BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, period, start),
	KEY start (start),
	CONSTRAINT email_quota_used CHECK (used <= most)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
