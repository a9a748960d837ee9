-- SPDX-License-Identifier: MIT
-- A broadcast that was resumed is judged by what is tried from then on: resumed_at, and the counters as they were then.
ALTER TABLE broadcast
	ADD COLUMN IF NOT EXISTS resumed_at BIGINT NULL,
	ADD COLUMN IF NOT EXISTS tried_before BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS bounced_before BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS complained_before BIGINT NOT NULL DEFAULT 0;
