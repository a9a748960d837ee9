-- SPDX-License-Identifier: MIT
-- When to look next whether a domain is warmed up; NULL: it is.
ALTER TABLE domain
	ADD COLUMN IF NOT EXISTS warm_check BIGINT NULL DEFAULT 0,
	ADD KEY IF NOT EXISTS warm_check (warm_check);

-- The delivered and bounced mail of a domain that is not warmed up, on a day (UTC, counted from 1970): the sums over up
-- to 16 rows. Each connection changes its own row, so that parallel writers do not wait for each other; the rows of
-- past days are joined into one, stripe 0.
CREATE TABLE IF NOT EXISTS domain_day (
	domain_id BINARY(16) NOT NULL,
	day INT NOT NULL,
	stripe TINYINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	delivered BIGINT NOT NULL,
	bounced BIGINT NOT NULL,
	PRIMARY KEY (domain_id, day, stripe)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
