-- SPDX-License-Identifier: MIT
-- turn_at: the time by which an entry takes its turn: its ready_at when it was stored or put off; NULL is held. A claim
-- does not move it, and so leaves the key turn alone. The key has its old name, so that an older program finds it; the
-- entries that such a program stores get the default. lib/store/outbox_join.c fills in those of before.
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS turn_at BIGINT NULL;
ALTER TABLE outbox ALTER COLUMN turn_at SET DEFAULT (ready_at);
ALTER TABLE outbox DROP INDEX IF EXISTS turn, ADD INDEX turn (workspace_id, is_bulk, turn_at);
