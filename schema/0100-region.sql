-- SPDX-License-Identifier: MIT
-- The region that a client of /resend has named for a domain. It means nothing here, and is shown again.
ALTER TABLE domain ADD COLUMN IF NOT EXISTS region VARCHAR(32) CHARACTER SET ascii NOT NULL DEFAULT 'us-east-1';
