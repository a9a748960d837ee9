-- SPDX-License-Identifier: MIT
-- A recipient has the time at which the relay first accepted a message for it. That of its email is the first of these, or the one that
-- an older program wrote into the email.
ALTER TABLE recipient ADD COLUMN IF NOT EXISTS sent_at BIGINT NULL;
