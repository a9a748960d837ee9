-- SPDX-License-Identifier: MIT
-- Imports of POST /v1/imports are rows of the same table, and done by the same work. front: 1 /resend, 2 /v1, which show their own alone.
-- audience_id: the people join it; NULL: none, or of /resend, whose plan names several. is_dry: nothing is stored but counts and faults.
-- same_rows: records that changed nothing. kept_rows: people of all records whose own choice stood. fault_rows: faults that are kept.
-- error: why the import failed. place_line: the line of the file at place, from 1.
ALTER TABLE contact_import
	ADD COLUMN IF NOT EXISTS front TINYINT NOT NULL DEFAULT 1,
	ADD COLUMN IF NOT EXISTS audience_id BINARY(16) NULL,
	ADD COLUMN IF NOT EXISTS filename VARCHAR(255) NOT NULL DEFAULT '',
	ADD COLUMN IF NOT EXISTS is_dry TINYINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS same_rows BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS kept_rows BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS fault_rows BIGINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS place_line BIGINT NOT NULL DEFAULT 1,
	ADD COLUMN IF NOT EXISTS error VARCHAR(1000) NULL;
-- Lines of an import that were refused, or taken with a value less. record: JSON, the fields of the line as it was; NULL: it is too large.
CREATE TABLE IF NOT EXISTS contact_import_fault (
	import_id BINARY(16) NOT NULL,
	line BIGINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	is_refused TINYINT NOT NULL,
	message TEXT NOT NULL,
	record MEDIUMTEXT NULL,
	PRIMARY KEY (import_id, line),
	KEY workspace (workspace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
