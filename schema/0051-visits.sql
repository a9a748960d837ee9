-- SPDX-License-Identifier: MIT
-- How many opens and clicks of this recipient have been recorded: there is an end to what one link can fill the database with.
ALTER TABLE recipient ADD COLUMN IF NOT EXISTS visits INT NOT NULL DEFAULT 0;
