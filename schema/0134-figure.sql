-- SPDX-License-Identifier: MIT
-- Figures: how often something happened on a day (days since 1970, UTC) to emails that have something in common.
-- dimension: see enum store_figure_dimension, which says what owner and name are. Each process adds to one of 16 stripes,
-- from 1 on, so that parallel writers seldom meet; past days are folded into stripe 0. A single stripe may be below 0.
CREATE TABLE IF NOT EXISTS figure (
	workspace_id BINARY(16) NOT NULL,
	dimension TINYINT NOT NULL,
	owner BINARY(16) NOT NULL,
	name VARBINARY(2053) NOT NULL,
	day INT NOT NULL,
	stripe TINYINT NOT NULL,
	accepted INT NOT NULL DEFAULT 0,
	sent INT NOT NULL DEFAULT 0,
	delivered INT NOT NULL DEFAULT 0,
	bounced INT NOT NULL DEFAULT 0,
	complained INT NOT NULL DEFAULT 0,
	opened INT NOT NULL DEFAULT 0,
	opened_people INT NOT NULL DEFAULT 0,
	opened_machine INT NOT NULL DEFAULT 0,
	clicked INT NOT NULL DEFAULT 0,
	clicked_people INT NOT NULL DEFAULT 0,
	clicked_machine INT NOT NULL DEFAULT 0,
	unsubscribed INT NOT NULL DEFAULT 0,
	PRIMARY KEY (workspace_id, dimension, owner, name, day, stripe),
	KEY stripe (stripe, day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The values of tags that have figures of their own: the first ones of each name. place: from 0 on.
CREATE TABLE IF NOT EXISTS figure_tag (
	workspace_id BINARY(16) NOT NULL,
	name VARCHAR(256) NOT NULL,
	place SMALLINT NOT NULL,
	value VARCHAR(256) NOT NULL,
	PRIMARY KEY (workspace_id, name, place),
	UNIQUE KEY value (workspace_id, name, value)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
