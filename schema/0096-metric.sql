-- SPDX-License-Identifier: MIT
-- The counters of the installation (lib/core/metrics.h). labels: the values of the metric's labels, with 0x1f between.
-- A counter is the sum of up to 16 rows: a process adds to one of them at a time, so that parallel writers seldom meet.
-- Values that are set, not added to, stand in stripe 0.
CREATE TABLE IF NOT EXISTS metric (
	name TINYINT NOT NULL,
	labels VARBINARY(700) NOT NULL,
	stripe TINYINT NOT NULL,
	value BIGINT NOT NULL,
	PRIMARY KEY (name, labels, stripe)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The destinations and the sending domains that have counters of their own. kind: see enum store_metric_kind.
CREATE TABLE IF NOT EXISTS metric_label (
	kind TINYINT NOT NULL,
	value VARBINARY(255) NOT NULL,
	seen BIGINT NOT NULL,
	PRIMARY KEY (kind, value)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The workers that serve requests. seen: when the worker last said that it lives. memory: resident bytes.
CREATE TABLE IF NOT EXISTS metric_worker (
	id BINARY(16) NOT NULL,
	seen BIGINT NOT NULL,
	memory BIGINT NOT NULL,
	PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
