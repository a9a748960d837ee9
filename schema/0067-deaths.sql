-- SPDX-License-Identifier: MIT
-- The number of processes that died while they composed this message. From two on it is composed in a child process.
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS deaths TINYINT NOT NULL DEFAULT 0;
