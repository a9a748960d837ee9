-- SPDX-License-Identifier: MIT
-- A recipient has the time at which the relay first accepted a message for it. That of its email is the first of these, or the one that
-- an older program wrote into the email. The step stands in front of 0485, whose key keeps a table from getting a column at once: a database
-- that has 0485 already is written anew, and recipients are only read meanwhile.
ALTER TABLE recipient ADD COLUMN IF NOT EXISTS sent_at BIGINT NULL;
