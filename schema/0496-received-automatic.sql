-- SPDX-License-Identifier: MIT
-- The key of the list.
CREATE INDEX IF NOT EXISTS automatic ON received (workspace_id, is_automatic, id);
