-- SPDX-License-Identifier: MIT
-- Events that Posthouse tells by itself stand in the queue of emails' events. name NULL: one of an email. properties: JSON, those of the event; of person.updated the person before. became: of that one, the person after. cause_id, depth: of the workflow whose step caused it. target_id: the one workflow that it is told to.
ALTER TABLE automation_feedback
	ADD COLUMN IF NOT EXISTS name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL,
	ADD COLUMN IF NOT EXISTS properties MEDIUMTEXT NULL,
	ADD COLUMN IF NOT EXISTS became MEDIUMTEXT NULL,
	ADD COLUMN IF NOT EXISTS cause_id BINARY(16) NULL,
	ADD COLUMN IF NOT EXISTS depth TINYINT NOT NULL DEFAULT 0,
	ADD COLUMN IF NOT EXISTS target_id BINARY(16) NULL;
