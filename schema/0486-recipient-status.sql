-- SPDX-License-Identifier: MIT
-- The key listed is in place of the key status, which older programs name; so posthouse schema migrate --finish alone takes this step.
ALTER TABLE recipient DROP INDEX IF EXISTS status;
