-- SPDX-License-Identifier: MIT
-- Events stand in one tree. Pages of those of an email are merged of those of its recipients. Older programs name the key, so that
-- posthouse schema migrate --finish alone takes this step.
ALTER TABLE event DROP INDEX IF EXISTS time;
