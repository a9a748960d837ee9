-- SPDX-License-Identifier: MIT
-- Audiences. user_id: who made it, by a key; NULL: an operator.
CREATE TABLE IF NOT EXISTS audience (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	user_id BINARY(16) NULL,
	name VARCHAR(100) NOT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- How many contacts an audience has, and how many of them are not subscribed: the sums over its 16 rows, of which each connection
-- changes its own, so that parallel writers do not queue for one. A single row may be negative.
CREATE TABLE IF NOT EXISTS audience_counter (
	audience_id BINARY(16) NOT NULL,
	stripe TINYINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	contacts BIGINT NOT NULL,
	unsubscribers BIGINT NOT NULL,
	PRIMARY KEY (audience_id, stripe)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Contacts. email: as given. address: the form in which emails are compared, ASCII in lower case; the order of lists is that of the
-- primary key, so that a page is a stretch of the table.
CREATE TABLE IF NOT EXISTS contact (
	audience_id BINARY(16) NOT NULL,
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	email VARCHAR(254) NOT NULL,
	first_name VARCHAR(100) NULL,
	last_name VARCHAR(100) NULL,
	is_subscribed TINYINT NOT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (audience_id, address),
	UNIQUE KEY id (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Audiences that were deleted and whose contacts still have to go, a batch at a time.
CREATE TABLE IF NOT EXISTS audience_removal (
	audience_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (audience_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
