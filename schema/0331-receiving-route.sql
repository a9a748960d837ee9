-- SPDX-License-Identifier: MIT
-- What becomes of mail for a local part of a receiving domain. pattern: *, a local part, or the start of one and *. action: 1 store,
-- 2 forward and store, 3 drop, 4 refuse. forward_to: a JSON array of addresses. reason: of refuse; NULL: that of an unknown address.
CREATE TABLE IF NOT EXISTS receiving_route (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	domain_id BINARY(16) NOT NULL,
	pattern VARCHAR(65) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	action TINYINT NOT NULL,
	forward_to TEXT NULL,
	reason VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY pattern (domain_id, pattern),
	KEY workspace (workspace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
