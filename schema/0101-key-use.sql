-- SPDX-License-Identifier: MIT
-- domain_id: the only domain that a key of scope send may send from; NULL: any of the workspace. last_used: epoch ms, at most
-- an hour before the last use; NULL: never used, or not since this column is here.
ALTER TABLE api_key ADD COLUMN IF NOT EXISTS domain_id BINARY(16) NULL;
ALTER TABLE api_key ADD COLUMN IF NOT EXISTS last_used BIGINT NULL;
