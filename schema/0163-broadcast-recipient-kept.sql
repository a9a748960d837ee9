-- SPDX-License-Identifier: MIT
-- sent_at, opened_at, clicked_at: when the person first was sent it, opened it and clicked in it, epoch ms; 0: not. They
-- stay when the events go (lib/store/broadcast_join.c fills in those of before). outcome: the status of the person's latest
-- event, once the email has gone.
ALTER TABLE broadcast_recipient
	ADD COLUMN IF NOT EXISTS sent_at BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS opened_at BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS clicked_at BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS outcome TINYINT NOT NULL DEFAULT 0;
