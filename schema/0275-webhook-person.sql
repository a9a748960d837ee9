-- SPDX-License-Identifier: MIT
-- Webhooks under /resend that are told of contacts (bits 13 to 15) are told of people, too: bits 51 to 53 (see enum
-- store_webhook_type).
UPDATE webhook SET events = events | ((events >> 13) & 7) << 51 WHERE form = 1 AND events & (7 << 13) <> 0;
