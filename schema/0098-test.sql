-- SPDX-License-Identifier: MIT
-- 1: its recipients are test addresses. The message is composed for nobody and goes to no relay.
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS is_test TINYINT NOT NULL DEFAULT 0;
