-- SPDX-License-Identifier: MIT
-- The status of an answer is that of its operation, and is no longer stored. answer remains the response's body, so answers
-- that an older version stored are replayed unchanged.
ALTER TABLE idempotency DROP COLUMN IF EXISTS status;
