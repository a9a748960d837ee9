-- SPDX-License-Identifier: MIT
-- 0: this contact has never been in a workflow, so no event of it has to look for what it left there.
ALTER TABLE automation_contact ADD COLUMN IF NOT EXISTS entered TINYINT NOT NULL DEFAULT 1;
