-- SPDX-License-Identifier: MIT
-- Why a message waits that was not attempted: a sentence. NULL: the last event of its recipients says why.
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS reason VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL;
