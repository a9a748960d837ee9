-- SPDX-License-Identifier: MIT
-- Mail that came in is listed by whether a program wrote it, however much there is.
ALTER TABLE received ADD COLUMN IF NOT EXISTS is_automatic TINYINT AS (automatic IS NOT NULL) VIRTUAL;
