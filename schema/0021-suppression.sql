-- SPDX-License-Identifier: MIT
-- The suppression list: addresses that get no more mail. email: as given; address: the form in which emails are
-- compared. Both are NULL for an erased person, of whom only hash is kept: an HMAC of the address with the
-- installation's secret. reason, scope: see store/suppression.h. id: a UUID version 7, the order of creation.
CREATE TABLE IF NOT EXISTS suppression (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	email VARCHAR(254) NULL,
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NULL,
	hash BINARY(32) NULL,
	reason TINYINT NOT NULL,
	scope TINYINT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY address (workspace_id, address),
	UNIQUE KEY hash (workspace_id, hash),
	KEY newest (workspace_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
