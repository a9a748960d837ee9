-- SPDX-License-Identifier: MIT
-- The events of a workspace by name, then by person: segments read who has had an event as a range of this key.
ALTER TABLE automation_event ADD INDEX IF NOT EXISTS named (workspace_id, name, contact_id, timestamp);
