-- SPDX-License-Identifier: MIT
-- The requests of steps that are to be made or were answered; the row goes when the step is left. sequence: the
-- execution's step_count at that step. host: name and port, in one spelling. headers: a JSON array of [name, parts],
-- each part a text or {"secret": name}. most: attempts that may be made. due_at: the next attempt, or the end of the
-- lease of one that is under way; NULL: there is an answer. token, owner: of the lease. status: of the answer, 0: there
-- was none. answer: its JSON. error: why it counts as failed; NULL: it does not.
CREATE TABLE IF NOT EXISTS step_request (
	execution_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	sequence INT NOT NULL,
	host VARCHAR(300) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	method VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	url VARCHAR(2048) NOT NULL,
	headers MEDIUMTEXT NOT NULL,
	body MEDIUMTEXT NULL,
	timeout INT NOT NULL,
	most INT NOT NULL,
	attempts INT NOT NULL,
	due_at BIGINT NULL,
	token BIGINT NOT NULL,
	owner VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NULL,
	status INT NULL,
	answer MEDIUMTEXT NULL,
	error VARCHAR(1000) NULL,
	answered BIGINT NULL,
	PRIMARY KEY (execution_id),
	KEY host (host, due_at),
	KEY owner (owner)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
