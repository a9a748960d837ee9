-- SPDX-License-Identifier: MIT
-- Tracking of opens and clicks of a domain's mail, and when the domain was warmed up (NULL: not yet).
ALTER TABLE domain
	ADD COLUMN IF NOT EXISTS open_tracking TINYINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS click_tracking TINYINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS warmed_up_at BIGINT NULL;

-- The state of a key (see enum store_domain_key_state), whether the last check found it in DNS, and since when it no
-- longer signs.
ALTER TABLE domain_key
	CHANGE COLUMN IF EXISTS signs state TINYINT NOT NULL,
	ADD COLUMN IF NOT EXISTS seen TINYINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS retired_at BIGINT NULL,
	ADD KEY IF NOT EXISTS retired_at (retired_at);

-- The DNS checks of a domain. series: when the schedule of its checks began. next_check: when the next one is due, NULL
-- for never; a claim moves it to the end of its lease and sets token. findings: JSON, see core/zone.h. error: see enum
-- store_domain_error.
CREATE TABLE IF NOT EXISTS domain_check (
	domain_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	series BIGINT NOT NULL,
	next_check BIGINT NULL,
	token BIGINT NULL,
	last_checked BIGINT NULL,
	last_success BIGINT NULL,
	failing_since BIGINT NULL,
	error TINYINT NOT NULL DEFAULT 0,
	findings MEDIUMTEXT NULL,
	soa_primary VARCHAR(1024) CHARACTER SET ascii COLLATE ascii_bin NULL,
	soa_admin VARCHAR(1024) CHARACTER SET ascii COLLATE ascii_bin NULL,
	soa_serial BIGINT NULL,
	PRIMARY KEY (domain_id),
	KEY next_check (next_check)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

INSERT IGNORE INTO domain_check (domain_id, workspace_id, series, next_check)
	SELECT id, workspace_id, created, IF(trusted, NULL, created) FROM domain;
