-- SPDX-License-Identifier: MIT
-- How many processes died while they composed this copy. With two of them it is composed in a child process.
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS deaths TINYINT NOT NULL DEFAULT 0;
