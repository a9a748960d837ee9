-- SPDX-License-Identifier: MIT
-- A row has its size from the beginning, so that it does not grow, and split its page, when its turn comes. Zeros: the
-- person has not left with a part.
UPDATE broadcast_recipient SET email_id = 0x00000000000000000000000000000000 WHERE email_id IS NULL;
UPDATE broadcast_recipient SET number = 0 WHERE number IS NULL;
ALTER TABLE broadcast_recipient
	MODIFY email_id BINARY(16) NOT NULL DEFAULT 0x00000000000000000000000000000000,
	MODIFY number SMALLINT NOT NULL DEFAULT 0;
