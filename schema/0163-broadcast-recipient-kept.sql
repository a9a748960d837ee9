-- SPDX-License-Identifier: MIT
-- sent_at, opened_at, clicked_at: when the person first was sent it, opened it and clicked in it, epoch ms; 0: not. They
-- stay when the events go. outcome: the status of the person's latest event, once the email has gone.
ALTER TABLE broadcast_recipient
	ADD COLUMN IF NOT EXISTS sent_at BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS opened_at BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS clicked_at BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS outcome TINYINT NOT NULL DEFAULT 0;
UPDATE broadcast_recipient r LEFT JOIN recipient m ON m.email_id = r.email_id AND m.number = r.number SET
	r.sent_at = COALESCE((SELECT MIN(v.timestamp) FROM event v WHERE v.email_id = r.email_id
		AND v.recipient = r.number AND v.status = 1), 0),
	r.opened_at = COALESCE(m.opened_at, 0), r.clicked_at = COALESCE(m.clicked_at, 0)
	WHERE r.status = 2 AND r.sent_at = 0;
