-- SPDX-License-Identifier: MIT
-- Lists find recipients by a status that stays when their email is sent: a recipient without events has the key's entry of one whose
-- email was sent. It follows status also where an older program writes that. Both changes are made without copying the table.
ALTER TABLE recipient ADD COLUMN IF NOT EXISTS listed_status TINYINT GENERATED ALWAYS AS (COALESCE(status, 1)) VIRTUAL;
ALTER TABLE recipient ADD INDEX IF NOT EXISTS listed (workspace_id, listed_status, email_id);
