-- SPDX-License-Identifier: MIT
-- The messages that relays of providers have taken, one row for each time that a relay took one. id: of its outbox
-- entry. relay: its name. reply: the provider's id of the message, out of its reply. recipients: those that the relay
-- took, as in outbox. sent: when.
CREATE TABLE IF NOT EXISTS relay_copy (
	email_id BINARY(16) NOT NULL,
	id BINARY(16) NOT NULL,
	sent BIGINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	relay VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	reply VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
	recipients VARBINARY(300) NOT NULL,
	PRIMARY KEY (email_id, id, sent),
	KEY id (id),
	KEY reply (reply)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The endpoints at which providers report, of the whole installation. provider: see enum provider_name. token: SHA-256
-- of the token in the URL. secret: encrypted; NULL: none. topic: the only one of Amazon SNS, once it is confirmed.
CREATE TABLE IF NOT EXISTS provider_endpoint (
	id BINARY(16) NOT NULL,
	token BINARY(32) NOT NULL,
	provider TINYINT NOT NULL,
	relay VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	secret VARBINARY(8192) NULL,
	topic VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY token (token)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The events of providers that were recorded, so that none is recorded twice. digest: of the provider's id of the event,
-- the recipient and the status. token: of the request that was first.
CREATE TABLE IF NOT EXISTS provider_event (
	endpoint_id BINARY(16) NOT NULL,
	digest BINARY(32) NOT NULL,
	token BIGINT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (endpoint_id, digest),
	KEY created (created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Certificates of Amazon SNS. url: SHA-256 of the address from which it came.
CREATE TABLE IF NOT EXISTS provider_certificate (
	url BINARY(32) NOT NULL,
	pem MEDIUMTEXT NOT NULL,
	fetched BIGINT NOT NULL,
	PRIMARY KEY (url)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
