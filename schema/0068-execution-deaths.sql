-- SPDX-License-Identifier: MIT
-- The number of processes that died while they stepped this execution, since it last moved. From two on it is stepped
-- in a child process.
ALTER TABLE execution ADD COLUMN IF NOT EXISTS deaths TINYINT NOT NULL DEFAULT 0;
