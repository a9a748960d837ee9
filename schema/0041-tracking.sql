-- SPDX-License-Identifier: MIT
-- What of an email's readers is told: see enum email_tracking. Where anything is, there is one copy for each recipient.
ALTER TABLE email ADD COLUMN IF NOT EXISTS tracking TINYINT NOT NULL DEFAULT 0;

-- Whether an open or a click was a program's doing rather than a reader's.
ALTER TABLE event ADD COLUMN IF NOT EXISTS automated TINYINT NOT NULL DEFAULT 0;
