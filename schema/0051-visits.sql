-- SPDX-License-Identifier: MIT
-- The number of recorded opens and clicks of this recipient, which is limited: one link must not fill the database.
ALTER TABLE recipient ADD COLUMN IF NOT EXISTS visits INT NOT NULL DEFAULT 0;
