-- SPDX-License-Identifier: MIT
-- Imports of contacts that requests have asked for, which the spool does part by part. status: 1 queued, 2 in progress, 3 completed,
-- 4 failed. plan: JSON, the columns of the file and what to do. due: epoch ms when the spool takes it up; NULL: it is done. token: of
-- the process that works on it until due. place: the bytes of the file that are done. is_put: the people of the next part are stored,
-- but for those in left_out (a bit each); their topics and segments may not be.
CREATE TABLE IF NOT EXISTS contact_import (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	status TINYINT NOT NULL,
	plan MEDIUMTEXT NOT NULL,
	due BIGINT NULL,
	token BINARY(16) NULL,
	place BIGINT NOT NULL DEFAULT 0,
	is_put TINYINT NOT NULL DEFAULT 0,
	left_out VARBINARY(64) NULL,
	created_rows BIGINT NOT NULL DEFAULT 0,
	updated_rows BIGINT NOT NULL DEFAULT 0,
	skipped_rows BIGINT NOT NULL DEFAULT 0,
	failed_rows BIGINT NOT NULL DEFAULT 0,
	completed BIGINT NULL,
	PRIMARY KEY (id),
	KEY newest (workspace_id, id),
	KEY due (due)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
-- The file of an import, in pieces of 1 MiB, until the import is done.
CREATE TABLE IF NOT EXISTS contact_import_piece (
	import_id BINARY(16) NOT NULL,
	number INT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	data MEDIUMBLOB NOT NULL,
	PRIMARY KEY (import_id, number)
) ENGINE=InnoDB;
