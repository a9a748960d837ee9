-- SPDX-License-Identifier: MIT
-- decide_at: when the winner of the variants is known, unless it is chosen by hand; NULL: they are not tested, or not yet.
ALTER TABLE broadcast ADD COLUMN IF NOT EXISTS decide_at BIGINT NULL;
