-- SPDX-License-Identifier: MIT
-- Mail that came in, and what becomes of mail for receiving domains.

-- Mail that came in.
CREATE TABLE IF NOT EXISTS received (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The domain to which it came; NULL: it came to an address for replies alone. -> domain
	domain_id BINARY(16) NULL,
	-- The email of ours that it answers; NULL: none. -> email
	email_id BINARY(16) NULL,
	-- The address of From, as it is compared; empty: none.
	writer VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	-- The address of the envelope, as it is compared; empty: none.
	sender VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	-- See enum store_received_automatic; NULL: a person wrote it.
	automatic TINYINT NULL,
	-- The bytes of the message.
	size BIGINT NOT NULL,
	-- JSON: the row of a list.
	summary MEDIUMTEXT NOT NULL,
	-- JSON: what the mail has besides. Its size in 4 bytes, then Zstandard.
	content LONGBLOB NOT NULL,
	-- 1: a program wrote it.
	is_automatic TINYINT GENERATED ALWAYS AS (automatic is not null) VIRTUAL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id,id,size),
	KEY domain (workspace_id,domain_id,id),
	KEY email (workspace_id,email_id,id),
	KEY writer (workspace_id,writer,id),
	KEY sender (workspace_id,sender,id),
	KEY automatic (workspace_id,is_automatic,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The emails by which received mail was forwarded.
CREATE TABLE IF NOT EXISTS received_forward (
	-- The mail. -> received
	received_id BINARY(16) NOT NULL,
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The email; NULL: there is none. -> email
	email_id BINARY(16) NULL,
	-- A JSON array of addresses.
	recipients TEXT NOT NULL,
	-- Why it was not forwarded; NULL: it was.
	error VARCHAR(1000) NULL,
	PRIMARY KEY (received_id,id),
	KEY workspace (workspace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Messages that came to a recipient in the last days, so that a repeated one is known.
CREATE TABLE IF NOT EXISTS received_known (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The SHA-256 of Message-ID, body and recipient.
	digest BINARY(32) NOT NULL,
	-- Epoch ms at which it came.
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,digest),
	KEY created (created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The bytes of received mail, in pieces. An attachment, as it stands in the message, is a piece of its own.
CREATE TABLE IF NOT EXISTS received_piece (
	-- The mail. -> received
	received_id BINARY(16) NOT NULL,
	-- The place of the piece, from 0.
	number INT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The hash of its bytes. -> body
	body BINARY(32) NOT NULL,
	PRIMARY KEY (received_id,number),
	KEY body (workspace_id,body),
	CONSTRAINT received_body FOREIGN KEY (workspace_id, body) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The recipients of received mail.
CREATE TABLE IF NOT EXISTS received_recipient (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address, as it is compared.
	address VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	-- The mail. -> received
	received_id BINARY(16) NOT NULL,
	PRIMARY KEY (workspace_id,address,received_id),
	KEY received (received_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- What becomes of mail for a local part of a receiving domain.
CREATE TABLE IF NOT EXISTS receiving_route (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The domain. -> domain
	domain_id BINARY(16) NOT NULL,
	-- A local part, the start of one and *, or *; in lower case.
	pattern VARCHAR(65) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- See enum store_receiving_action.
	action TINYINT NOT NULL,
	-- A JSON array of addresses; NULL: none.
	forward_to TEXT NULL,
	-- Why mail is refused; NULL: as for an unknown address.
	reason VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY pattern (domain_id,pattern),
	KEY workspace (workspace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Mail of persons that workflows are still to be told of.
CREATE TABLE IF NOT EXISTS received_event (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address of the contact, as it is compared.
	address VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	-- Epoch ms at which the mail came.
	timestamp BIGINT NOT NULL,
	-- JSON: the properties of the event.
	properties TEXT NOT NULL,
	-- Epoch ms at which it is to be recorded.
	due BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY due (due),
	KEY person (workspace_id,address)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
