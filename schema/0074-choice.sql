-- SPDX-License-Identifier: MIT
-- Choices: people who unsubscribed themselves, by a link, a button or a mail. A row stands until the person takes the
-- choice back or somebody overrides it; each change of the choice locks the row first. person: the address in the form
-- in which addresses are compared; after the person was erased, a hash of it, as in suppression. suppression_id: the
-- entry that the choice has put on the suppression list; NULL while the address stands there for another reason.
CREATE TABLE IF NOT EXISTS choice (
	workspace_id BINARY(16) NOT NULL,
	person VARBINARY(254) NOT NULL,
	suppression_id BINARY(16) NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, person)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The emails whose link the person used: using a link again takes back only the effect of that link.
CREATE TABLE IF NOT EXISTS choice_link (
	workspace_id BINARY(16) NOT NULL,
	person VARBINARY(254) NOT NULL,
	email_id BINARY(16) NOT NULL,
	recipient SMALLINT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, person, email_id, recipient)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The contacts that the choice unsubscribed, so that only these are subscribed when the person takes it back.
CREATE TABLE IF NOT EXISTS choice_contact (
	workspace_id BINARY(16) NOT NULL,
	person VARBINARY(254) NOT NULL,
	contact_id BINARY(16) NOT NULL,
	PRIMARY KEY (workspace_id, person, contact_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The record of consent: each decision, and its author. kind: see enum store_consent_kind. user_id, key_id: of an
-- override by the API; NULL: the person, or an operator at the command line. contact_id: the contact that an override
-- subscribed. email_id: the email whose link the person used.
CREATE TABLE IF NOT EXISTS consent (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	person VARBINARY(254) NOT NULL,
	kind TINYINT NOT NULL,
	user_id BINARY(16) NULL,
	key_id BINARY(16) NULL,
	reason VARCHAR(500) NULL,
	contact_id BINARY(16) NULL,
	email_id BINARY(16) NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY person (workspace_id, person, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
