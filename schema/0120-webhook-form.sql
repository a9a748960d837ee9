-- SPDX-License-Identifier: MIT
-- In which form a webhook is told: see enum store_webhook_form. events has a bit for each type that can be chosen under
-- /resend too, and some of these are never told.
ALTER TABLE webhook ADD COLUMN IF NOT EXISTS form TINYINT NOT NULL DEFAULT 0;
ALTER TABLE webhook MODIFY COLUMN events BIGINT UNSIGNED NOT NULL;
