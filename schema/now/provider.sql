-- SPDX-License-Identifier: MIT
-- What the providers of relays report, of the whole installation.

-- The messages that relays of providers have taken, one row for each time that a relay took one.
CREATE TABLE IF NOT EXISTS relay_copy (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The id of its outbox entry. -> outbox
	id BINARY(16) NOT NULL,
	-- Epoch ms at which the relay took it.
	sent BIGINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The name of the relay.
	relay VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The provider's id of the message, out of the relay's reply; NULL: it gave none.
	reply VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The recipients that the relay took, as in outbox.
	recipients VARBINARY(300) NOT NULL,
	PRIMARY KEY (email_id,id,sent),
	KEY id (id),
	KEY reply (reply)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The endpoints at which providers report.
CREATE TABLE IF NOT EXISTS provider_endpoint (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The SHA-256 of the token in the URL.
	token BINARY(32) NOT NULL,
	-- See enum provider_name.
	provider TINYINT NOT NULL,
	-- The name of the relay whose mail the provider reports about.
	relay VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The secret of the provider's signatures, encrypted; NULL: none.
	secret VARBINARY(8192) NULL,
	-- The only topic of Amazon SNS, once it is confirmed; NULL: none.
	topic VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY token (token)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The events of providers that were recorded, so that none is recorded twice.
CREATE TABLE IF NOT EXISTS provider_event (
	-- The endpoint. -> provider_endpoint
	endpoint_id BINARY(16) NOT NULL,
	-- The digest of the provider's id of the event, the recipient and the status.
	digest BINARY(32) NOT NULL,
	-- The token of the request that was first.
	token BIGINT NOT NULL,
	-- Epoch ms of the record.
	created BIGINT NOT NULL,
	PRIMARY KEY (endpoint_id,digest),
	KEY created (created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Certificates of Amazon SNS.
CREATE TABLE IF NOT EXISTS provider_certificate (
	-- The SHA-256 of the address from which it came.
	url BINARY(32) NOT NULL,
	-- The certificate.
	pem MEDIUMTEXT NOT NULL,
	-- Epoch ms at which it was fetched.
	fetched BIGINT NOT NULL,
	PRIMARY KEY (url)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
