-- SPDX-License-Identifier: MIT
-- The sites whose scripts may use a form: a JSON array of origins, null for any.
ALTER TABLE form ADD COLUMN IF NOT EXISTS origins TEXT NOT NULL DEFAULT 'null';
