-- SPDX-License-Identifier: MIT
-- Whether a person has given reason to be mailed by broadcasts to segments, see enum store_agreement. NULL: not known; the
-- person is not reached until posthouse schema migrate has decided it (step 0251, store/agreement_join.h), or the person
-- or an operator says something new.
ALTER TABLE person ADD COLUMN IF NOT EXISTS agreed TINYINT NULL;
-- Segments count the people who are reachable without reading their rows. The key has its old name, so that an older
-- program finds it.
ALTER TABLE person DROP INDEX IF EXISTS cohort,
	ADD INDEX cohort (workspace_id, id, address, is_subscribed, agreed);
