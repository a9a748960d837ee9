-- SPDX-License-Identifier: MIT
-- Who changed what. id begins with the time. actor: see enum store_audit_actor. actor_id: of a user or a key; NULL: an
-- operator. actor_name: of a user (the address) or an operator (the login); of a key it is read from the key. target_*:
-- what was changed; no values. address: the client's; NULL at the terminal.
CREATE TABLE IF NOT EXISTS audit (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	actor TINYINT NOT NULL,
	actor_id BINARY(16) NULL,
	actor_name VARCHAR(254) NULL,
	action VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	target_type VARCHAR(48) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	target_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
	target_name VARCHAR(254) NULL,
	address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
	request_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
	PRIMARY KEY (id),
	KEY newest (workspace_id, id),
	KEY action (workspace_id, action, id),
	KEY actor (workspace_id, actor_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
