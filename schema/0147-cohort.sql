-- SPDX-License-Identifier: MIT
-- The people of a workspace in the order of their ids, with all by which facts about them are found: segments look at many
-- people without reading their rows.
ALTER TABLE person ADD INDEX IF NOT EXISTS cohort (workspace_id, id, address, is_subscribed);
