-- SPDX-License-Identifier: MIT
-- A delivery of an email's event names its recipient, by whom the event is found. Those that an older program stores do not.
ALTER TABLE webhook_delivery ADD COLUMN IF NOT EXISTS recipient SMALLINT NULL;
