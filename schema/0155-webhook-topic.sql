-- SPDX-License-Identifier: MIT
-- Webhooks are told of topics now: bits 28 to 30, and 31 for a contact's choices, which stood as never told before, at 34 to
-- 36 and 33 (see enum store_webhook_type).
UPDATE webhook SET events = (events | ((events >> 34) & 7) << 28 | ((events >> 33) & 1) << 31) & ~(15 << 33)
	WHERE events & (15 << 33) <> 0;
