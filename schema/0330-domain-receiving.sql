-- SPDX-License-Identifier: MIT
-- receiving: mail for the domain is taken. received_since: epoch ms at which that was first so; NULL: never. reply_tracking: its
-- emails have a Reply-To of ours.
ALTER TABLE domain
	ADD COLUMN IF NOT EXISTS receiving TINYINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS received_since BIGINT NULL,
	ADD COLUMN IF NOT EXISTS reply_tracking TINYINT NOT NULL DEFAULT 0;
-- Incoming mail knows the name alone.
ALTER TABLE domain ADD KEY IF NOT EXISTS receiving (name, receiving);
