-- SPDX-License-Identifier: MIT
-- The last question to the host of a domain's links.
ALTER TABLE domain_check
	ADD COLUMN IF NOT EXISTS tracking_checked BIGINT NULL,
	ADD COLUMN IF NOT EXISTS tracking_found BIGINT NULL,
	ADD COLUMN IF NOT EXISTS tracking_error VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL;
