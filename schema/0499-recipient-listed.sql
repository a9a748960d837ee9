-- SPDX-License-Identifier: MIT
-- recipient_status is in place of the key listed, which older programs name; so posthouse schema migrate --finish alone takes this step,
-- behind 0498. It copies no table.
ALTER TABLE recipient DROP INDEX IF EXISTS listed, DROP COLUMN IF EXISTS listed_status;
