-- SPDX-License-Identifier: MIT
-- The tracking of an email: see enum store_email_tracking. An email with tracking leaves as one message for each
-- recipient.
ALTER TABLE email ADD COLUMN IF NOT EXISTS tracking TINYINT NOT NULL DEFAULT 0;

-- Whether a program, not the reader, made an open or a click.
ALTER TABLE event ADD COLUMN IF NOT EXISTS automated TINYINT NOT NULL DEFAULT 0;
