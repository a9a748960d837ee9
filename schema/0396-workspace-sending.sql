-- SPDX-License-Identifier: MIT
-- Whether there are such rules, so that they are not looked for where there are none.
ALTER TABLE workspace ADD COLUMN IF NOT EXISTS sending TINYINT NOT NULL DEFAULT 0;
