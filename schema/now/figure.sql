-- SPDX-License-Identifier: MIT
-- Counts: the figures of a workspace's mail, and the counters of the installation.

-- How often something happened on a day to emails that have something in common; a single stripe may be below 0.
CREATE TABLE IF NOT EXISTS figure (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The thing in common, see enum store_figure_dimension.
	dimension TINYINT NOT NULL,
	-- The id of that thing, as the dimension says.
	owner BINARY(16) NOT NULL,
	-- The name of that thing, as the dimension says.
	name VARBINARY(2053) NOT NULL,
	-- The day (UTC) counted from 1970.
	day INT NOT NULL,
	-- The row of the process that adds, from 1 to 16; past days are folded into 0.
	stripe TINYINT NOT NULL,
	-- The recipients of accepted emails.
	accepted INT NOT NULL DEFAULT 0,
	-- The recipients whose relay took the email.
	sent INT NOT NULL DEFAULT 0,
	-- The recipients whose server took it.
	delivered INT NOT NULL DEFAULT 0,
	-- The recipients that bounced.
	bounced INT NOT NULL DEFAULT 0,
	-- The recipients who complained.
	complained INT NOT NULL DEFAULT 0,
	-- The opens.
	opened INT NOT NULL DEFAULT 0,
	-- The recipients who opened it.
	opened_people INT NOT NULL DEFAULT 0,
	-- The opens that a program made.
	opened_machine INT NOT NULL DEFAULT 0,
	-- The clicks.
	clicked INT NOT NULL DEFAULT 0,
	-- The recipients who clicked.
	clicked_people INT NOT NULL DEFAULT 0,
	-- The clicks that a program made.
	clicked_machine INT NOT NULL DEFAULT 0,
	-- The recipients who unsubscribed.
	unsubscribed INT NOT NULL DEFAULT 0,
	-- The recipients who replied.
	replied INT NOT NULL DEFAULT 0,
	PRIMARY KEY (workspace_id,dimension,owner,name,day,stripe),
	KEY stripe (stripe,day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The values of tags that have figures of their own: the first ones of each name.
CREATE TABLE IF NOT EXISTS figure_tag (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The name of the tag.
	name VARCHAR(256) NOT NULL,
	-- The place of the value, from 0.
	place SMALLINT NOT NULL,
	-- The value.
	value VARCHAR(256) NOT NULL,
	PRIMARY KEY (workspace_id,name,place),
	UNIQUE KEY value (workspace_id,name,value)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

-- The counters of the installation (lib/core/metrics.h): each is the sum of up to 16 rows.
CREATE TABLE IF NOT EXISTS metric (
	-- The number of the metric.
	name TINYINT NOT NULL,
	-- The values of its labels, with 0x1f between.
	labels VARBINARY(700) NOT NULL,
	-- The row of the process that adds; values that are set stand in 0.
	stripe TINYINT NOT NULL,
	-- The count.
	value BIGINT NOT NULL,
	PRIMARY KEY (name,labels,stripe)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The destinations and the sending domains that have counters of their own.
CREATE TABLE IF NOT EXISTS metric_label (
	-- See enum store_metric_kind.
	kind TINYINT NOT NULL,
	-- The name of the destination or domain.
	value VARBINARY(255) NOT NULL,
	-- Epoch ms at which it was last counted.
	seen BIGINT NOT NULL,
	PRIMARY KEY (kind,value)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The workers that serve requests.
CREATE TABLE IF NOT EXISTS metric_worker (
	-- The id of the worker.
	id BINARY(16) NOT NULL,
	-- Epoch ms at which it last said that it lives.
	seen BIGINT NOT NULL,
	-- Its resident bytes.
	memory BIGINT NOT NULL,
	PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
