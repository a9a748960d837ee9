-- SPDX-License-Identifier: MIT
-- Fair claims: these keys find the oldest due row of each workspace.
ALTER TABLE outbox ADD KEY IF NOT EXISTS turn (workspace_id, ready_at);
ALTER TABLE execution ADD KEY IF NOT EXISTS turn (workspace_id, ready_at);
ALTER TABLE domain_check ADD KEY IF NOT EXISTS turn (workspace_id, next_check);
