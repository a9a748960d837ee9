-- SPDX-License-Identifier: MIT
-- Emails. to_list, cc_list, bcc_list, reply_to: RFC 5322 lists, UTF-8, with names. subject: as sent. variables: JSON
-- object, name to string, resolved. headers, tags: JSON objects. sent: when the relay first accepted the email. type:
-- see enum store_email_type.
CREATE TABLE IF NOT EXISTS email (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	domain_id BINARY(16) NOT NULL,
	type TINYINT NOT NULL,
	sender VARCHAR(512) NOT NULL,
	to_list MEDIUMTEXT NOT NULL,
	cc_list MEDIUMTEXT NULL,
	bcc_list MEDIUMTEXT NULL,
	reply_to MEDIUMTEXT NULL,
	subject MEDIUMTEXT NOT NULL,
	template_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
	variables LONGTEXT NULL,
	headers MEDIUMTEXT NULL,
	tags TEXT NULL,
	created BIGINT NOT NULL,
	scheduled_at BIGINT NULL,
	sent BIGINT NULL,
	cancelled BIGINT NULL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The parts of an email. role: see enum store_email_part_role; number 0 is the html, 1 the text, from 2 on the
-- attachments.
CREATE TABLE IF NOT EXISTS email_part (
	email_id BINARY(16) NOT NULL,
	number SMALLINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	role TINYINT NOT NULL,
	filename VARCHAR(255) NULL,
	content_type VARCHAR(127) NULL,
	content_id VARCHAR(128) NULL,
	body BINARY(32) NOT NULL,
	PRIMARY KEY (email_id, number),
	KEY body (workspace_id, body),
	CONSTRAINT email_part_body FOREIGN KEY (workspace_id, body) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Envelope recipients, each address once. status, status_at, event_id: of the recipient's latest event.
CREATE TABLE IF NOT EXISTS recipient (
	email_id BINARY(16) NOT NULL,
	number SMALLINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	kind TINYINT NOT NULL,
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
	status TINYINT NULL,
	status_at BIGINT NULL,
	event_id BINARY(16) NULL,
	PRIMARY KEY (email_id, number),
	KEY address (workspace_id, address, email_id),
	KEY status (workspace_id, status, email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
