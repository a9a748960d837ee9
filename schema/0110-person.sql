-- SPDX-License-Identifier: MIT
-- People: one row for each email address in a workspace that a contact or an event has brought. Automation knows a
-- person from the first event on. A contact of an audience is joined to its person by workspace and address; its email
-- is '' then, and its names are NULL, since they are the person's. Contacts that were stored before have their own until
-- posthouse schema migrate has joined them (step 0111, store/person_join.h).
RENAME TABLE IF EXISTS automation_contact TO person;

-- seen: 0 until the first event; then first_seen, last_seen and event_count are 0, and last_event is ''. Pages of people
-- with events are a range of the key. Each change that is not a new key is made without copying the table.
ALTER TABLE person
	ADD COLUMN IF NOT EXISTS first_name VARCHAR(100) NULL,
	ADD COLUMN IF NOT EXISTS last_name VARCHAR(100) NULL,
	ADD COLUMN IF NOT EXISTS seen TINYINT NOT NULL DEFAULT 1;
ALTER TABLE person
	ADD INDEX IF NOT EXISTS seen (workspace_id, seen, id),
	DROP INDEX IF EXISTS newest;
