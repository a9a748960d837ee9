-- SPDX-License-Identifier: MIT
-- What people want and do not want: suppressions, topics, choices, and the record of their consent.

-- The suppression list: addresses that get no more mail.
CREATE TABLE IF NOT EXISTS suppression (
	-- A UUID version 7, the order of creation.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as given; NULL: the person was erased.
	email VARCHAR(254) NULL,
	-- The form in which addresses are compared; NULL: the person was erased.
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- An HMAC of an erased person's address with the installation's secret; NULL: the address is there.
	hash BINARY(32) NULL,
	-- See enum store_suppression_reason.
	reason TINYINT NOT NULL,
	-- See enum store_suppression_scope.
	scope TINYINT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- The email by which the address came here; NULL: none, or unknown. -> email
	source_id BINARY(16) NULL,
	PRIMARY KEY (id),
	UNIQUE KEY address (workspace_id,address),
	UNIQUE KEY hash (workspace_id,hash),
	KEY newest (workspace_id,id),
	KEY reason (workspace_id,scope,reason,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Topics of mailings that people choose by themselves.
CREATE TABLE IF NOT EXISTS topic (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The name.
	name VARCHAR(100) NOT NULL,
	-- The description that people read.
	description VARCHAR(500) NOT NULL,
	-- 1: the page of choices shows it to everybody.
	is_public TINYINT NOT NULL,
	-- 1: nobody is in it until they choose it; 0: all are, until they leave.
	is_opt_in TINYINT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- People who want no mailings at all; a change of a choice locks its row first.
CREATE TABLE IF NOT EXISTS choice (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address in the form in which addresses are compared, or a hash of it once the person is erased.
	person VARBINARY(254) NOT NULL,
	-- The entry that the choice has put on the suppression list; NULL: the address stands there for another reason.
	-- -> suppression
	suppression_id BINARY(16) NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- See enum store_consent_author; the person's own outweighs the operator's.
	author TINYINT NOT NULL DEFAULT 1,
	-- 1: an operator has said so, too, which stands when the person takes back the own choice.
	is_operated TINYINT NOT NULL DEFAULT 0,
	PRIMARY KEY (workspace_id,person)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- What a person wants of one topic or audience, kept by address so that it holds when the address comes again.
CREATE TABLE IF NOT EXISTS choice_part (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as in choice.
	person VARBINARY(254) NOT NULL,
	-- The topic or the audience. -> topic
	target_id BINARY(16) NOT NULL,
	-- 1: target_id is a topic; 0: an audience.
	is_topic TINYINT NOT NULL,
	-- 1: the person wants it; 0: the person has left it.
	is_chosen TINYINT NOT NULL,
	-- See enum store_consent_author.
	author TINYINT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,person,target_id),
	KEY target (target_id,person,is_topic,is_chosen)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The emails whose link a person used, since using a link again takes back only the effect of that link.
CREATE TABLE IF NOT EXISTS choice_link (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as in choice. -> choice
	person VARBINARY(254) NOT NULL,
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The number of the recipient.
	recipient SMALLINT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,person,email_id,recipient)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The contacts that a choice unsubscribed, so that only these are subscribed when the person takes it back.
CREATE TABLE IF NOT EXISTS choice_contact (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as in choice. -> choice
	person VARBINARY(254) NOT NULL,
	-- The contact. -> contact
	contact_id BINARY(16) NOT NULL,
	PRIMARY KEY (workspace_id,person,contact_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The topics and audiences that a person left on the page of one email, or by its button.
CREATE TABLE IF NOT EXISTS choice_undo (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as in choice.
	person VARBINARY(254) NOT NULL,
	-- The topic or the audience, as in choice_part. -> choice_part
	target_id BINARY(16) NOT NULL,
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The number of the recipient.
	recipient SMALLINT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,person,target_id,email_id,recipient)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Pauses of mailings, kept by address; those that are over are removed some time later.
CREATE TABLE IF NOT EXISTS snooze (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address in the form in which addresses are compared.
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- Epoch ms of the end.
	until BIGINT NOT NULL,
	-- See enum store_consent_author; the person's own outweighs the operator's.
	author TINYINT NOT NULL,
	PRIMARY KEY (workspace_id,address),
	KEY until (until)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The record of consent: each decision, and its author.
CREATE TABLE IF NOT EXISTS consent (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as in choice.
	person VARBINARY(254) NOT NULL,
	-- See enum store_consent_kind.
	kind TINYINT NOT NULL,
	-- The user who decided by the API; NULL: the person, or an operator at the command line. -> user
	user_id BINARY(16) NULL,
	-- The key with which that user decided; NULL: none. -> api_key
	key_id BINARY(16) NULL,
	-- The reason that was given; NULL: none.
	reason VARCHAR(500) NULL,
	-- The contact that was subscribed; NULL: none. -> contact
	contact_id BINARY(16) NULL,
	-- The email whose link the person used; NULL: none. -> email
	email_id BINARY(16) NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- The way of the decision, see enum store_consent_source; NULL: in rows of earlier versions.
	source TINYINT NULL,
	-- See enum store_consent_author; NULL: in rows of earlier versions.
	author TINYINT NULL,
	-- The audience that it is about; NULL: none. -> audience
	audience_id BINARY(16) NULL,
	-- The topic that it is about; NULL: none. -> topic
	topic_id BINARY(16) NULL,
	-- The form by which the person joined; NULL: none. -> form
	form_id BINARY(16) NULL,
	-- The network address of the person; NULL: none.
	ip VARCHAR(45) NULL,
	-- The User-Agent of the person; NULL: none.
	user_agent VARCHAR(512) NULL,
	PRIMARY KEY (id),
	KEY person (workspace_id,person,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The recipients of mailings whose email was removed: their links go on to work.
CREATE TABLE IF NOT EXISTS reader_kept (
	-- The email that was. -> email
	email_id BINARY(16) NOT NULL,
	-- The number of the recipient.
	number SMALLINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address of the recipient.
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	-- The sender of the email.
	sender TEXT NOT NULL,
	-- The topic of the email; NULL: none. -> topic
	topic_id BINARY(16) NULL,
	PRIMARY KEY (email_id,number),
	KEY address (workspace_id,address)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The looks of the page on which people choose what they get; '' stands for the default.
CREATE TABLE IF NOT EXISTS page (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The title.
	title VARCHAR(100) NOT NULL,
	-- The text in each language, a JSON object.
	text TEXT NOT NULL,
	-- The colour of the buttons, #rrggbb.
	colour VARCHAR(7) NOT NULL,
	-- The URL of a logo.
	logo_url VARCHAR(2000) NOT NULL,
	-- The postal address of the sender.
	address VARCHAR(500) NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	PRIMARY KEY (workspace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Mails that ask people to confirm a membership.
CREATE TABLE IF NOT EXISTS confirmation (
	-- The secret part of the link.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The audience. -> audience
	audience_id BINARY(16) NOT NULL,
	-- The contact that waits. -> contact
	contact_id BINARY(16) NOT NULL,
	-- The form by which the person came; NULL: none. -> form
	form_id BINARY(16) NULL,
	-- The address as in choice.
	person VARBINARY(254) NOT NULL,
	-- The names, properties and topics that wait with it, a JSON object.
	given MEDIUMTEXT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last time that an operator had it sent again; NULL: never.
	resent BIGINT NULL,
	-- Epoch ms of the confirmation; NULL: not yet.
	used BIGINT NULL,
	PRIMARY KEY (id),
	KEY contact (contact_id,created),
	KEY person (workspace_id,person),
	KEY created (created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Forms by which people join an audience.
CREATE TABLE IF NOT EXISTS form (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The audience. -> audience
	audience_id BINARY(16) NOT NULL,
	-- The name.
	name VARCHAR(100) NOT NULL,
	-- The ids of the topics that people join, a JSON array.
	topics TEXT NOT NULL,
	-- The fields of the form, a JSON array of first_name, last_name and keys of properties.
	fields TEXT NOT NULL,
	-- The page that people see afterwards; '' for the built-in one.
	redirect_url TEXT NOT NULL,
	-- 1: a mail asks the person to confirm.
	double_opt_in TINYINT NOT NULL,
	-- The submissions that a network has in an hour.
	per_network INT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	-- The sites whose scripts may use the form, a JSON array of origins; null for any.
	origins TEXT NOT NULL DEFAULT 'null',
	PRIMARY KEY (id),
	KEY workspace (workspace_id,id),
	KEY audience (audience_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Uses of a form in an hour, by one network or for one address.
CREATE TABLE IF NOT EXISTS form_use (
	-- The form. -> form
	form_id BINARY(16) NOT NULL,
	-- A hash of the network or the address.
	who BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms at which the hour began.
	started BIGINT NOT NULL,
	-- The uses so far.
	uses INT NOT NULL,
	PRIMARY KEY (form_id,who),
	KEY started (started)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
