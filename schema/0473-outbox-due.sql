-- SPDX-License-Identifier: MIT
-- Claims find messages by a time that a claim does not change, so that no entry of the key moves when a message is claimed. It follows
-- ready_at while no process has the message, also where an older program writes that. Both changes are made without copying the table.
-- The key turn is named only so that the keys come in the same order when the step is run again.
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS due_at BIGINT GENERATED ALWAYS AS (IF(owner IS NULL, ready_at, turn_at)) VIRTUAL;
ALTER TABLE outbox
	ADD INDEX IF NOT EXISTS due (is_bulk, due_at), DROP INDEX IF EXISTS turn, ADD INDEX turn (workspace_id, is_bulk, turn_at);
