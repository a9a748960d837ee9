-- SPDX-License-Identifier: MIT
-- Workspaces, the people and keys that work in them, and their limits.

-- A workspace owns all other rows; its users own its keys.
CREATE TABLE IF NOT EXISTS workspace (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- Its name, which no other workspace has.
	name VARCHAR(100) NOT NULL,
	-- The sender of mail that names none; NULL: it has to be named.
	default_sender VARCHAR(400) NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- A transaction that creates something limited adds 1 here first, so that such transactions count one after the
	-- other.
	turn BIGINT NOT NULL DEFAULT 0,
	-- The names of the relays of its mail, separated by blanks; NULL: it has no route of its own.
	relays VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	-- The kinds of rules in sending_rule: 1 hours, 2 caps.
	sending TINYINT NOT NULL DEFAULT 0,
	-- The same for mail of the stream transactional, in place of relays; NULL: none.
	relays_transactional VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The same for mail of the stream automation, in place of relays; NULL: none.
	relays_automation VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The same for mail of the stream broadcast, in place of relays; NULL: none.
	relays_broadcast VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The streams that are paused or have a pace: 1 << stream of each, see enum store_stream.
	stream_limits TINYINT NOT NULL DEFAULT 0,
	PRIMARY KEY (id),
	UNIQUE KEY name (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Names that workspaces have left: no other workspace takes one within a year.
CREATE TABLE IF NOT EXISTS workspace_name (
	-- The name.
	name VARCHAR(100) NOT NULL,
	-- The workspace that had the name. -> workspace
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms at which it took another name.
	left_at BIGINT NOT NULL,
	PRIMARY KEY (name),
	KEY left_at (left_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Limits of a workspace that replace those of the settings.
CREATE TABLE IF NOT EXISTS workspace_limit (
	-- The workspace. -> workspace
	workspace_id BINARY(16) NOT NULL,
	-- The name of the setting.
	name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The limit; 0: there is none.
	value BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The number of recipients to whom a workspace with a quota has sent in an hour or a day of the clock (UTC).
CREATE TABLE IF NOT EXISTS email_quota (
	-- The workspace. -> workspace
	workspace_id BINARY(16) NOT NULL,
	-- Hour or day, see enum store_quota_period.
	period TINYINT NOT NULL,
	-- Epoch ms at which the period starts.
	start BIGINT NOT NULL,
	-- The recipients of this period so far.
	used BIGINT NOT NULL,
	-- The quota, which the table enforces.
	most BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,period,start),
	KEY start (start),
	CONSTRAINT email_quota_used CHECK (used <= most)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- A user is an address in a workspace; the same address in another workspace is another row.
CREATE TABLE IF NOT EXISTS user (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace. -> workspace
	workspace_id BINARY(16) NOT NULL,
	-- The address with which the user signs in.
	email VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	-- The first name; NULL: not given.
	first_name VARCHAR(100) NULL,
	-- The last name; NULL: not given.
	last_name VARCHAR(100) NULL,
	-- The URL of a picture; NULL: none.
	picture VARCHAR(2048) NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- See enum store_role.
	role TINYINT NOT NULL DEFAULT 0,
	-- Epoch ms at which the user was removed; the row stays for what the user has made.
	removed BIGINT NULL,
	-- Epoch ms of the last request, exact to a minute; NULL: never.
	last_seen BIGINT NULL,
	-- Epoch ms at which a user of another workspace was invited and has not answered yet; removed is set then, too.
	invited BIGINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY email (workspace_id,email),
	KEY person (email,created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- API keys, of which only a hash is stored.
CREATE TABLE IF NOT EXISTS api_key (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The owner. -> user
	user_id BINARY(16) NOT NULL,
	-- The SHA-256 of the key.
	hash BINARY(32) NOT NULL,
	-- See enum store_key_scope.
	scope TINYINT NOT NULL,
	-- The name that its owner gave it.
	name VARCHAR(100) NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms from which on it is refused; NULL: never.
	expires BIGINT NULL,
	-- Epoch ms at which it was revoked; NULL: it was not.
	revoked BIGINT NULL,
	-- The only domain that a key of scope send may send from; NULL: any of the workspace. -> domain
	domain_id BINARY(16) NULL,
	-- Epoch ms at most an hour before the last use; NULL: never used, or not since this column is here.
	last_used BIGINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY hash (hash),
	KEY workspace (workspace_id,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Sessions of users in browsers.
CREATE TABLE IF NOT EXISTS session (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace in which the session is now.
	workspace_id BINARY(16) NOT NULL,
	-- The row of its user in that workspace. -> user
	user_id BINARY(16) NOT NULL,
	-- The address whose session it is, in all workspaces.
	email VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	-- The SHA-256 of the cookie.
	hash BINARY(32) NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last request, exact to a minute.
	last_seen BIGINT NOT NULL,
	-- Epoch ms at which it ends at the latest.
	expires BIGINT NOT NULL,
	-- The client's network address; NULL: unknown.
	address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The User-Agent of the browser; NULL: none.
	user_agent VARCHAR(512) NULL,
	PRIMARY KEY (id),
	UNIQUE KEY hash (hash),
	KEY person (email,id),
	KEY user (workspace_id,user_id),
	KEY expires (expires)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Links that open a session, once.
CREATE TABLE IF NOT EXISTS sign_in (
	-- The SHA-256 of the token in the link.
	hash BINARY(32) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The user whom the link signs in. -> user
	user_id BINARY(16) NOT NULL,
	-- The address that the link was sent to.
	email VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	-- The SHA-256 of the cookie of the browser that asked; NULL: of the terminal, good in any browser.
	browser BINARY(32) NULL,
	-- Epoch ms from which on the link is refused.
	expires BIGINT NOT NULL,
	-- Epoch ms at which it opened a session; NULL: not yet.
	used BIGINT NULL,
	PRIMARY KEY (hash),
	KEY expires (expires)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Attempts to sign in, of the whole installation.
CREATE TABLE IF NOT EXISTS sign_in_attempt (
	-- A digest of an address or a network.
	subject BINARY(32) NOT NULL,
	-- Epoch ms of the first attempt of this hour.
	begun BIGINT NOT NULL,
	-- The attempts of this hour.
	count INT NOT NULL,
	-- Epoch ms of the last attempt that was let through, where too many are slowed and not refused.
	last BIGINT NOT NULL DEFAULT 0,
	PRIMARY KEY (subject),
	KEY begun (begun)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The changes that users, keys and operators made.
CREATE TABLE IF NOT EXISTS audit (
	-- A UUID version 7, so that it begins with the time of the change.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- See enum store_audit_actor.
	actor TINYINT NOT NULL,
	-- The user or the key; NULL: an operator.
	actor_id BINARY(16) NULL,
	-- The address of a user or the login of an operator; the name of a key is read from the key.
	actor_name VARCHAR(254) NULL,
	-- The name of the change, such as domain.create.
	action VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The noun that was changed.
	target_type VARCHAR(48) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The id of the thing that was changed; NULL: it has none.
	target_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- Its name at that time; NULL: it has none.
	target_name VARCHAR(254) NULL,
	-- The client's network address; NULL: at the terminal.
	address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The X-Request-Id of the answer; NULL: at the terminal.
	request_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
	PRIMARY KEY (id),
	KEY newest (workspace_id,id),
	KEY action (workspace_id,action,id),
	KEY actor (workspace_id,actor_id,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The newest requests of each workspace, as [log] requests says.
CREATE TABLE IF NOT EXISTS api_call (
	-- A UUID version 7, so that it begins with the time of the request.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- User or key, as in audit.
	actor TINYINT NOT NULL,
	-- The user or the key. -> api_key
	actor_id BINARY(16) NOT NULL,
	-- The method of the request.
	method VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The pattern of the route.
	route VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The status of the answer.
	status SMALLINT NOT NULL,
	-- The milliseconds that the answer took.
	ms INT NOT NULL,
	-- The client's network address; NULL: the log does not show it.
	address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The X-Request-Id of the answer.
	request_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The message of a failure, without addresses that the log does not show; NULL: none.
	message VARCHAR(300) NULL,
	PRIMARY KEY (id),
	KEY newest (workspace_id,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- JSON that the dashboard keeps for a user: drafts of what is not saved yet, and the filters of lists. It goes with the
-- user.
CREATE TABLE IF NOT EXISTS note (
	-- The user. -> user
	user_id BINARY(16) NOT NULL,
	-- See enum store_note_kind.
	kind TINYINT NOT NULL,
	-- The id of the thing, new, or the name of a list.
	name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The JSON object.
	data MEDIUMTEXT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	PRIMARY KEY (user_id,kind,name),
	KEY updated (updated)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Looks at the people of a workspace, for segments and dates that workflows hear.
CREATE TABLE IF NOT EXISTS workspace_look (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms at which the last one began.
	began BIGINT NOT NULL,
	-- Epoch ms at which it ended; 0: it goes on behind place.
	ended BIGINT NOT NULL,
	-- Epoch ms at which the one before it began; 0: there was none.
	before_began BIGINT NOT NULL,
	-- Epoch ms of the next one.
	next_at BIGINT NOT NULL,
	-- The last person that was looked at. -> person
	place BINARY(16) NOT NULL,
	-- Epoch ms until which a process holds it.
	taken BIGINT NOT NULL,
	PRIMARY KEY (workspace_id),
	KEY next_at (next_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
