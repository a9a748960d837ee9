-- SPDX-License-Identifier: MIT
-- Audiences. user_id: the owner of the key that created it; NULL: an operator.
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

-- The number of contacts of an audience, and of those that are not subscribed: the sums over its 16 rows. Each
-- connection changes its own row, so that parallel writers do not wait for each other. A single row may be negative.
CREATE TABLE IF NOT EXISTS audience_counter (
	audience_id BINARY(16) NOT NULL,
	stripe TINYINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	contacts BIGINT NOT NULL,
	unsubscribers BIGINT NOT NULL,
	PRIMARY KEY (audience_id, stripe)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Contacts. email: as given. address: the form in which emails are compared, ASCII in lower case. Lists have the order
-- of the primary key, so that a page is a range of the table.
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

-- Deleted audiences whose contacts are still to be removed, a batch at a time.
CREATE TABLE IF NOT EXISTS audience_removal (
	audience_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (audience_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
