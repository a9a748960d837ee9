-- SPDX-License-Identifier: MIT
-- Sending domains. name: A-labels in lower case. status: see enum store_domain_status. trusted: an operator vouches for
-- the domain, and DNS is not checked.
CREATE TABLE IF NOT EXISTS domain (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	user_id BINARY(16) NULL,
	name VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	status TINYINT NOT NULL,
	trusted TINYINT NOT NULL DEFAULT 0,
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY name (workspace_id, name),
	KEY workspace (workspace_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The DKIM keys of a domain. private: PKCS#8, encrypted with the installation's secret, bound to id. signs: 1 while
-- messages are signed with it.
CREATE TABLE IF NOT EXISTS domain_key (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	domain_id BINARY(16) NOT NULL,
	algorithm TINYINT NOT NULL,
	selector VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	private VARBINARY(4096) NOT NULL,
	public VARCHAR(1024) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	signs TINYINT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY selector (domain_id, selector)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
