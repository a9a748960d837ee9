-- SPDX-License-Identifier: MIT
-- The newest requests of each workspace, as [log] requests says. id begins with the time. actor, actor_id: a user or a
-- key, as in audit. route: the pattern. message: of a failure, without addresses that the log does not show; NULL: none.
CREATE TABLE IF NOT EXISTS api_call (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	actor TINYINT NOT NULL,
	actor_id BINARY(16) NOT NULL,
	method VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	route VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	status SMALLINT NOT NULL,
	ms INT NOT NULL,
	address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL,
	request_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	message VARCHAR(300) NULL,
	PRIMARY KEY (id),
	KEY newest (workspace_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
