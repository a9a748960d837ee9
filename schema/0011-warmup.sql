-- SPDX-License-Identifier: MIT
-- When to look next whether a domain has sent enough to be known; NULL: it has.
ALTER TABLE domain
	ADD COLUMN IF NOT EXISTS warm_check BIGINT NULL DEFAULT 0,
	ADD KEY IF NOT EXISTS warm_check (warm_check);

-- Until then: how much of its mail arrived, and bounced, on a day (of UTC, counted from 1970). The sums over up to 16 rows, of which
-- each connection changes its own, so that parallel writers do not queue for one; of days that are over they become one, stripe 0.
CREATE TABLE IF NOT EXISTS domain_day (
	domain_id BINARY(16) NOT NULL,
	day INT NOT NULL,
	stripe TINYINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	delivered BIGINT NOT NULL,
	bounced BIGINT NOT NULL,
	PRIMARY KEY (domain_id, day, stripe)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
