-- SPDX-License-Identifier: MIT
-- Webhooks that are told of everything under /v1 are told of replies and received mail, too: bits 54 and 55.
UPDATE webhook SET events = events | (3 << 54) WHERE form = 0 AND events = (1 << 23) - 2;
