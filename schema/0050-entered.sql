-- SPDX-License-Identifier: MIT
-- 0: this contact has never entered a workflow, so its events need not look for entries or waits.
RENAME TABLE IF EXISTS automation_contact TO person;
ALTER TABLE person ADD COLUMN IF NOT EXISTS entered TINYINT NOT NULL DEFAULT 1;
