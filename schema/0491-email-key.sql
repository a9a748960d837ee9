-- SPDX-License-Identifier: MIT
-- The emails of a workspace stand next to each other, in the order of time, so that the key workspace is needless. A foreign key needs one
-- that begins with the id; programs remove rules with their email. The table is written anew while others read and write. Older programs
-- search by the id alone, so that posthouse schema migrate --finish alone takes this step.
ALTER TABLE email_sending DROP FOREIGN KEY IF EXISTS email_sending_of;
ALTER TABLE email DROP PRIMARY KEY, ADD PRIMARY KEY (workspace_id, id), DROP INDEX IF EXISTS workspace;
