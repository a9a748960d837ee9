-- SPDX-License-Identifier: MIT
-- How executions end by a goal, an exit or a digest, and what they count for.
ALTER TABLE execution ADD COLUMN IF NOT EXISTS completion TINYINT NULL,
	ADD COLUMN IF NOT EXISTS entry_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	ADD COLUMN IF NOT EXISTS goal_at BIGINT NULL;
