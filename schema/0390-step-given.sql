-- SPDX-License-Identifier: MIT
-- given: what the node gave at this visit, a JSON object, which rules and emails of the execution name step.ID.path.
ALTER TABLE execution_step ADD COLUMN IF NOT EXISTS given MEDIUMTEXT NULL;
