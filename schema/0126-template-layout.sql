-- SPDX-License-Identifier: MIT
-- layout: the id of the template in whose html, at {{{body}}}, this one's html stands; NULL: none. It may be gone.
ALTER TABLE template ADD COLUMN IF NOT EXISTS layout VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL;
