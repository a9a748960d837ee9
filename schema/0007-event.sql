-- SPDX-License-Identifier: MIT
-- The events of each recipient. status: see enum store_event_status. bounce_type: see enum store_bounce_type.
CREATE TABLE IF NOT EXISTS event (
	email_id BINARY(16) NOT NULL,
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	recipient SMALLINT NOT NULL,
	status TINYINT NOT NULL,
	timestamp BIGINT NOT NULL,
	smtp_response VARCHAR(600) NULL,
	enhanced_code VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NULL,
	bounce_type TINYINT NULL,
	ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
	user_agent VARCHAR(512) NULL,
	link VARCHAR(4096) NULL,
	PRIMARY KEY (email_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
