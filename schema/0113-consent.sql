-- SPDX-License-Identifier: MIT
-- A person's own data, and consent to all mailings. is_made: by a request for a person, so that it stays without a
-- membership and without events.
ALTER TABLE person
	ADD COLUMN IF NOT EXISTS language VARCHAR(35) NULL,
	ADD COLUMN IF NOT EXISTS time_zone VARCHAR(64) NULL,
	ADD COLUMN IF NOT EXISTS is_subscribed TINYINT NOT NULL DEFAULT 1,
	ADD COLUMN IF NOT EXISTS is_made TINYINT NOT NULL DEFAULT 0;

-- A membership. source: the way in which it was made, see enum store_consent_source. pending: since when it waits to be
-- confirmed, epoch ms; NULL: it does not. left_by: who unsubscribed it last, see enum store_consent_author.
ALTER TABLE contact
	ADD COLUMN IF NOT EXISTS source TINYINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS pending BIGINT NULL,
	ADD COLUMN IF NOT EXISTS left_by TINYINT NOT NULL DEFAULT 0;

-- Topics of mailings that people choose by themselves. is_opt_in: nobody is in it until they choose it; else all are,
-- until they leave.
CREATE TABLE IF NOT EXISTS topic (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	name VARCHAR(100) NOT NULL,
	description VARCHAR(500) NOT NULL,
	is_public TINYINT NOT NULL,
	is_opt_in TINYINT NOT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- What a person wants of one topic or audience: every choice of a topic; of an audience, that the person left it. It is
-- kept by address, as in choice, so that it holds when the address comes again. target_id: the topic or audience. author:
-- see enum store_consent_author.
CREATE TABLE IF NOT EXISTS choice_part (
	workspace_id BINARY(16) NOT NULL,
	person VARBINARY(254) NOT NULL,
	target_id BINARY(16) NOT NULL,
	is_topic TINYINT NOT NULL,
	is_chosen TINYINT NOT NULL,
	author TINYINT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, person, target_id),
	KEY target (target_id, person)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The history of consent: how each decision was made. source, author: NULL in rows from before.
ALTER TABLE consent
	ADD COLUMN IF NOT EXISTS source TINYINT NULL,
	ADD COLUMN IF NOT EXISTS author TINYINT NULL,
	ADD COLUMN IF NOT EXISTS audience_id BINARY(16) NULL,
	ADD COLUMN IF NOT EXISTS topic_id BINARY(16) NULL,
	ADD COLUMN IF NOT EXISTS form_id BINARY(16) NULL,
	ADD COLUMN IF NOT EXISTS ip VARCHAR(45) NULL,
	ADD COLUMN IF NOT EXISTS user_agent VARCHAR(500) NULL;
