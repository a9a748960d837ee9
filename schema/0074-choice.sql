-- SPDX-License-Identifier: MIT
-- The choices of people who have unsubscribed in person: by a link, a button or a mail. A row stands until the person or an override takes
-- it back, and each change of a person's choice locks it first. person: the address in the form in which addresses are compared; after
-- the person was erased, a hash of it, as in suppression. suppression_id: the entry that the choice has put onto the suppression list;
-- NULL while the address stands there for another reason.
CREATE TABLE IF NOT EXISTS choice (
	workspace_id BINARY(16) NOT NULL,
	person VARBINARY(254) NOT NULL,
	suppression_id BINARY(16) NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, person)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Of which emails the person used the link: a link takes back nothing but what was done by it.
CREATE TABLE IF NOT EXISTS choice_link (
	workspace_id BINARY(16) NOT NULL,
	person VARBINARY(254) NOT NULL,
	email_id BINARY(16) NOT NULL,
	recipient SMALLINT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, person, email_id, recipient)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Which contacts the choice has unsubscribed, so that these, and no others, are subscribed when the person takes it back.
CREATE TABLE IF NOT EXISTS choice_contact (
	workspace_id BINARY(16) NOT NULL,
	person VARBINARY(254) NOT NULL,
	contact_id BINARY(16) NOT NULL,
	PRIMARY KEY (workspace_id, person, contact_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- What was decided about a person's consent, and by whom. kind: see enum consent_kind. user_id, key_id: of an override by the API; NULL: of
-- the person, or of an operator at the command line. contact_id: whom an override subscribed. email_id: whose link a person used.
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
