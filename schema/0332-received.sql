-- SPDX-License-Identifier: MIT
-- Mail that came in. summary: JSON, the row of a list. content: JSON, what the mail has besides, compressed as bodies are.
-- writer: the address of From, sender: that of the envelope, as they are compared. automatic: 1 reply, 2 bulk, 3 report; NULL: none.
CREATE TABLE IF NOT EXISTS received (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	domain_id BINARY(16) NULL,
	email_id BINARY(16) NULL,
	writer VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	sender VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	automatic TINYINT NULL,
	size BIGINT NOT NULL,
	summary MEDIUMTEXT NOT NULL,
	content LONGBLOB NOT NULL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id, id, size),
	KEY domain (workspace_id, domain_id, id),
	KEY email (workspace_id, email_id, id),
	KEY writer (workspace_id, writer, id),
	KEY sender (workspace_id, sender, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
-- The addresses to which it came, as they are compared.
CREATE TABLE IF NOT EXISTS received_recipient (
	workspace_id BINARY(16) NOT NULL,
	address VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	received_id BINARY(16) NOT NULL,
	PRIMARY KEY (workspace_id, address, received_id),
	KEY received (received_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
-- The bytes of the message: its pieces in order. An attachment, as it stands in the message, is a piece of its own.
CREATE TABLE IF NOT EXISTS received_piece (
	received_id BINARY(16) NOT NULL,
	number INT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	body BINARY(32) NOT NULL,
	PRIMARY KEY (received_id, number),
	KEY body (workspace_id, body),
	CONSTRAINT received_body FOREIGN KEY (workspace_id, body) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
-- Messages that came to a recipient in the last days: digest is of Message-ID, body and recipient.
CREATE TABLE IF NOT EXISTS received_known (
	workspace_id BINARY(16) NOT NULL,
	digest BINARY(32) NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, digest),
	KEY created (created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
-- The emails by which a received mail was forwarded. recipients: a JSON array of addresses. email_id NULL: it was not, and error says why.
CREATE TABLE IF NOT EXISTS received_forward (
	received_id BINARY(16) NOT NULL,
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	email_id BINARY(16) NULL,
	recipients TEXT NOT NULL,
	error VARCHAR(1000) NULL,
	PRIMARY KEY (received_id, id),
	KEY workspace (workspace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
