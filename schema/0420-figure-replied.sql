-- SPDX-License-Identifier: MIT
-- The recipients who replied.
ALTER TABLE figure ADD COLUMN IF NOT EXISTS replied INT NOT NULL DEFAULT 0;
