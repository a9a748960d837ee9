-- SPDX-License-Identifier: MIT
-- Webhooks that are told of everything under /v1 are told of replies and received mail, too: bits 54 and 55.
UPDATE webhook SET events = events | (3 << 54) WHERE form = 0 AND events = (1 << 23) - 2;
-- Those of /resend that want email.received had bit 32, which was never told.
UPDATE webhook SET events = (events & ~(1 << 32)) | (1 << 55) WHERE form = 1 AND events & (1 << 32) <> 0;
