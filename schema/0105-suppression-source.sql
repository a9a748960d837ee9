-- SPDX-License-Identifier: MIT
-- The email by which an address came onto the suppression list; NULL: none, or unknown. The key finds the entries of one
-- reason, newest first.
ALTER TABLE suppression ADD COLUMN IF NOT EXISTS source_id BINARY(16) NULL;
ALTER TABLE suppression ADD KEY IF NOT EXISTS reason (workspace_id, scope, reason, id);
