-- SPDX-License-Identifier: MIT
-- The entries of an email stand next to each other, so that the key email is needless. Older programs search by the id alone and name that key,
-- so that posthouse schema migrate --finish alone takes this step. It notes the email of the places that they took and whose message is being
-- sent. The table is written anew while others read and write.
UPDATE sending_place p JOIN outbox o ON o.id = p.entry_id SET p.email_id = o.email_id WHERE p.email_id IS NULL AND p.token IS NOT NULL;
ALTER TABLE outbox DROP PRIMARY KEY, ADD PRIMARY KEY (email_id, id), DROP INDEX IF EXISTS email;
