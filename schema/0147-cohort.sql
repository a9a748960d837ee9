-- SPDX-License-Identifier: MIT
-- The people of a workspace in the order of their ids, with all by which facts about them are found: segments look at many
-- people without reading their rows.
ALTER TABLE person ADD INDEX IF NOT EXISTS cohort (workspace_id, id, address, is_subscribed);

-- The key of a contact's events also has their names and times, so that segments count events in the key alone.
ALTER TABLE automation_event
	DROP INDEX IF EXISTS contact,
	ADD INDEX contact (contact_id, id, name, timestamp);
