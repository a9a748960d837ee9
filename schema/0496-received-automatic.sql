-- SPDX-License-Identifier: MIT
-- The key of the list.
ALTER TABLE received ADD INDEX IF NOT EXISTS automatic (workspace_id, is_automatic, id);
