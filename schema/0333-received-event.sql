-- SPDX-License-Identifier: MIT
-- Mail of persons that workflows are still to be told of. address: the contact's. properties: JSON, those of the event. due: epoch ms.
CREATE TABLE IF NOT EXISTS received_event (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	address VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	timestamp BIGINT NOT NULL,
	properties TEXT NOT NULL,
	due BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY due (due),
	KEY person (workspace_id, address)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
