-- SPDX-License-Identifier: MIT
-- A place has the email of its message, by which the message is found once the primary key of the outbox begins with it (0493).
ALTER TABLE sending_place ADD COLUMN IF NOT EXISTS email_id BINARY(16) NULL AFTER entry_id;
