-- SPDX-License-Identifier: MIT
-- The settings of a domain: the label of its return paths, its TLS, and the host of its links.
ALTER TABLE domain
	ADD COLUMN IF NOT EXISTS return_path VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'send',
	ADD COLUMN IF NOT EXISTS tls_enforced TINYINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS tracking_host VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NULL,
	ADD COLUMN IF NOT EXISTS tracking_used TINYINT NOT NULL DEFAULT 0,
	ADD KEY IF NOT EXISTS tracking_host (tracking_host);
