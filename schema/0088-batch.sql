-- SPDX-License-Identifier: MIT
-- The answer to a batch of emails has their ids and the faults of others.
ALTER TABLE idempotency MODIFY COLUMN answer MEDIUMTEXT NOT NULL;
