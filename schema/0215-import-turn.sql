-- SPDX-License-Identifier: MIT
-- The imports of a workspace that are not done are counted, and put behind those of other workspaces, by this key.
ALTER TABLE contact_import ADD INDEX IF NOT EXISTS waiting (workspace_id, due);
