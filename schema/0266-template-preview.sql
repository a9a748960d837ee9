-- SPDX-License-Identifier: MIT
-- preview: the text that mail programs show beside the subject; NULL: none.
ALTER TABLE template ADD COLUMN IF NOT EXISTS preview VARCHAR(200) NULL;
