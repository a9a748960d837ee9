-- SPDX-License-Identifier: MIT
-- Sessions of users in browsers. hash: SHA-256 of the cookie. workspace_id, user_id: the workspace in which the session is
-- now, and the row of its user there. email: whose it is, in all workspaces. last_seen: epoch ms of a request, exact to a
-- minute. expires: epoch ms, when it ends at the latest.
CREATE TABLE IF NOT EXISTS session (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	user_id BINARY(16) NOT NULL,
	email VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	hash BINARY(32) NOT NULL,
	created BIGINT NOT NULL,
	last_seen BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
	user_agent VARCHAR(512) NULL,
	PRIMARY KEY (id),
	UNIQUE KEY hash (hash),
	KEY person (email, id),
	KEY user (workspace_id, user_id),
	KEY expires (expires)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Links that open a session, once. hash: SHA-256 of the token. browser: SHA-256 of the cookie of the browser that asked;
-- NULL: of the terminal, good in any browser. used: epoch ms; NULL: not yet.
CREATE TABLE IF NOT EXISTS sign_in (
	hash BINARY(32) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	user_id BINARY(16) NOT NULL,
	email VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	browser BINARY(32) NULL,
	expires BIGINT NOT NULL,
	used BIGINT NULL,
	PRIMARY KEY (hash),
	KEY expires (expires)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Attempts to sign in, of the whole installation. subject: a digest of an address or a network. begun: epoch ms of the
-- first attempt of this hour.
CREATE TABLE IF NOT EXISTS sign_in_attempt (
	subject BINARY(32) NOT NULL,
	begun BIGINT NOT NULL,
	count INT NOT NULL,
	PRIMARY KEY (subject),
	KEY begun (begun)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
