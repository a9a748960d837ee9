-- SPDX-License-Identifier: MIT
-- The email by which an address came onto the suppression list. NULL: none, or unknown.
ALTER TABLE suppression ADD COLUMN IF NOT EXISTS source_id BINARY(16) NULL;
