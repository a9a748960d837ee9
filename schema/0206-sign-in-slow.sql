-- SPDX-License-Identifier: MIT
-- last: epoch ms of the last attempt that was let through, where too many attempts are slowed and not refused.
ALTER TABLE sign_in_attempt ADD COLUMN IF NOT EXISTS last BIGINT NOT NULL DEFAULT 0;
