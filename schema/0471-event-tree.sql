-- SPDX-License-Identifier: MIT
-- The rows of the events of a recipient stand next to each other, in the order of time. The table is written anew while others read and
-- write. Older programs search by email_id and id: they read all events of an email where they read one.
ALTER TABLE event DROP PRIMARY KEY, ADD PRIMARY KEY (email_id, recipient, timestamp, id);
