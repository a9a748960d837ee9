-- SPDX-License-Identifier: MIT
-- Double opt-in of an audience: who joins waits until the person confirms it. NULL: the built-in mail, the default sender,
-- the built-in subject. opt_in_link: opening the link confirms, without a button.
ALTER TABLE audience
	ADD COLUMN IF NOT EXISTS opt_in TINYINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS opt_in_template VARCHAR(64) NULL,
	ADD COLUMN IF NOT EXISTS opt_in_sender TEXT NULL,
	ADD COLUMN IF NOT EXISTS opt_in_subject VARCHAR(998) NULL,
	ADD COLUMN IF NOT EXISTS opt_in_link TINYINT NOT NULL DEFAULT 0;
