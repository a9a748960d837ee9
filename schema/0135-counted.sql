-- SPDX-License-Identifier: MIT
-- What the figures of an email's events are counted for, besides its domain and template. workflow_id, step_id: the
-- workflow that sent it, and its node; they stay when the execution goes (lib/store/email_join.c fills in those of before). counted_tags: see store/figure.h.
ALTER TABLE email
	ADD COLUMN IF NOT EXISTS workflow_id BINARY(16) NULL,
	ADD COLUMN IF NOT EXISTS step_id VARCHAR(64) COLLATE utf8mb4_nopad_bin NULL,
	ADD COLUMN IF NOT EXISTS counted_tags BLOB NULL;

-- The time of a recipient's first open and first click that no program made; 0: none. NULL: none either, or, where there
-- are visits, one that an earlier version did not note.
ALTER TABLE recipient
	ADD COLUMN IF NOT EXISTS opened_at BIGINT NULL,
	ADD COLUMN IF NOT EXISTS clicked_at BIGINT NULL;
