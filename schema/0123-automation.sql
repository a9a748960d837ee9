-- SPDX-License-Identifier: MIT
-- Workflows made under /resend. form: JSON, the steps and connections as they were given, of which design is the
-- translation, or without nodes as long as they are not valid. NULL: the version was made in /v1.
ALTER TABLE workflow_version ADD COLUMN IF NOT EXISTS form MEDIUMTEXT NULL;

-- visited: a bit for each node of the design, in its order from the lowest bit on, that the execution has entered after
-- its trigger.
ALTER TABLE execution ADD COLUMN IF NOT EXISTS visited VARBINARY(63) NOT NULL DEFAULT '';
