-- SPDX-License-Identifier: MIT
-- created_by: the address of the user, or the id of the key; NULL: not known, or made before this column.
ALTER TABLE workflow_version ADD COLUMN IF NOT EXISTS created_by VARCHAR(254) NULL;
