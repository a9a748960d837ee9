-- SPDX-License-Identifier: MIT
-- The start that began an execution.
ALTER TABLE execution ADD COLUMN IF NOT EXISTS start_id BINARY(16) NULL;
