-- SPDX-License-Identifier: MIT
-- The attachments of broadcasts, in the order of number. Their contents are stored once; the emails of the broadcast have them, too.
CREATE TABLE IF NOT EXISTS broadcast_attachment (
	id BINARY(16) NOT NULL,
	broadcast_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	number SMALLINT NOT NULL,
	filename VARCHAR(255) NOT NULL,
	content_type VARCHAR(127) NOT NULL,
	content_id VARCHAR(128) NULL,
	size BIGINT NOT NULL,
	body BINARY(32) NOT NULL,
	PRIMARY KEY (id),
	KEY broadcast (broadcast_id, number),
	KEY body (workspace_id, body),
	CONSTRAINT broadcast_attachment_body FOREIGN KEY (workspace_id, body) REFERENCES body (workspace_id, hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
