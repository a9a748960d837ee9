-- SPDX-License-Identifier: MIT
-- A goal that counts behind the end of an execution is heard as long.
ALTER TABLE workflow_heard ADD COLUMN IF NOT EXISTS goal_within BIGINT NOT NULL DEFAULT 0;
