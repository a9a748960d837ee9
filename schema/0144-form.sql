-- SPDX-License-Identifier: MIT
-- Forms by which people join an audience. topics: JSON array of ids. fields: JSON array of first_name, last_name and keys of
-- properties. redirect_url: '' for none. per_network: submissions of a network in an hour.
CREATE TABLE IF NOT EXISTS form (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	audience_id BINARY(16) NOT NULL,
	name VARCHAR(100) NOT NULL,
	topics TEXT NOT NULL,
	fields TEXT NOT NULL,
	redirect_url TEXT NOT NULL,
	double_opt_in TINYINT NOT NULL,
	per_network INT NOT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id, id),
	KEY audience (audience_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Uses of a form in the hour that began at started, by one network or for one address. who: a hash of either.
CREATE TABLE IF NOT EXISTS form_use (
	form_id BINARY(16) NOT NULL,
	who BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	started BIGINT NOT NULL,
	uses INT NOT NULL,
	PRIMARY KEY (form_id, who),
	KEY started (started)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
