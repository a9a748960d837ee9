-- SPDX-License-Identifier: MIT
-- lacks_link: messages of the broadcast had no visible link to unsubscribe, and got a footer with one.
ALTER TABLE broadcast ADD COLUMN IF NOT EXISTS lacks_link TINYINT NOT NULL DEFAULT 0;
