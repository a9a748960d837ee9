-- SPDX-License-Identifier: MIT
-- Mails that ask people to confirm a membership; the id is the secret part of the link. person: the address in the form in
-- which addresses are compared. given: JSON object of the names, properties and topics that wait with it. resent: epoch ms
-- of the last time that an operator had it sent again. used: epoch ms of the confirmation.
CREATE TABLE IF NOT EXISTS confirmation (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	audience_id BINARY(16) NOT NULL,
	contact_id BINARY(16) NOT NULL,
	form_id BINARY(16) NULL,
	person VARBINARY(254) NOT NULL,
	given MEDIUMTEXT NOT NULL,
	created BIGINT NOT NULL,
	resent BIGINT NULL,
	used BIGINT NULL,
	PRIMARY KEY (id),
	KEY contact (contact_id, created),
	KEY person (workspace_id, person),
	KEY created (created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
