-- SPDX-License-Identifier: MIT
-- is_bulk: of a broadcast, so that other mail goes first. Entries are claimed by the keys ready_at and turn, each lane for
-- itself. The keys have their old names, so that an older program finds them. What waits already goes as other mail.
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS is_bulk TINYINT NOT NULL DEFAULT 0;
ALTER TABLE outbox
	DROP INDEX IF EXISTS ready_at, ADD INDEX ready_at (is_bulk, ready_at),
	DROP INDEX IF EXISTS turn, ADD INDEX turn (workspace_id, is_bulk, ready_at);
