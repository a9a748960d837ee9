-- SPDX-License-Identifier: MIT
-- Claims take turns among workspaces: the oldest row of each workspace that is due is found by these keys.
ALTER TABLE outbox ADD KEY IF NOT EXISTS turn (workspace_id, ready_at);
ALTER TABLE execution ADD KEY IF NOT EXISTS turn (workspace_id, ready_at);
ALTER TABLE domain_check ADD KEY IF NOT EXISTS turn (workspace_id, next_check);
