-- SPDX-License-Identifier: MIT
-- The rows of the events of a recipient stand next to each other, in the order of time; so the key recipient goes. Older programs
-- search by it, so that posthouse schema migrate --finish alone takes this step. The table is written anew while others read
-- and write.
ALTER TABLE event DROP INDEX IF EXISTS recipient, DROP PRIMARY KEY, ADD PRIMARY KEY (email_id, recipient, timestamp, id);
