-- SPDX-License-Identifier: MIT
-- rules: of the segments that a broadcast names, as they were when it started, an object by their ids; NULL when all
-- recipients have their rows, and before.
ALTER TABLE broadcast ADD COLUMN IF NOT EXISTS rules LONGTEXT NULL;
