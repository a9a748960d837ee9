-- SPDX-License-Identifier: MIT
-- Events that are declared under /resend. name: in normal form; title: as it was given. fields: JSON object, the types of
-- a payload's members by name; NULL: any payload. An event need not be declared.
CREATE TABLE IF NOT EXISTS event_type (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	name VARCHAR(100) COLLATE utf8mb4_nopad_bin NOT NULL,
	title VARCHAR(100) NOT NULL,
	fields MEDIUMTEXT NULL,
	created BIGINT NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, id),
	UNIQUE KEY name (workspace_id, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
