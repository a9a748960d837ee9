-- SPDX-License-Identifier: MIT
-- 0: this contact has never entered a workflow, so its events need not look for entries or waits.
ALTER TABLE automation_contact ADD COLUMN IF NOT EXISTS entered TINYINT NOT NULL DEFAULT 1;
