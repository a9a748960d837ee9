-- SPDX-License-Identifier: MIT
-- Requests under /resend that were answered, while [resend] logs is on. id: the X-Request-Id of the answer; begins with
-- the time of the request. endpoint: the path behind /resend. request, response: the bodies as JSON, without contents
-- and secrets; NULL: none, no JSON, or too large.
CREATE TABLE IF NOT EXISTS resend_log (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	endpoint VARCHAR(2048) NOT NULL,
	method VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	status SMALLINT NOT NULL,
	user_agent VARCHAR(512) NULL,
	request MEDIUMTEXT NULL,
	response MEDIUMTEXT NULL,
	PRIMARY KEY (id),
	KEY newest (workspace_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
