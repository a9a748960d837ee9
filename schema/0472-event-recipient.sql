-- SPDX-License-Identifier: MIT
-- The primary key has the order of this key. Older programs name it, so that posthouse schema migrate --finish alone takes this step.
ALTER TABLE event DROP INDEX IF EXISTS recipient;
