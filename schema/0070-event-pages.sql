-- SPDX-License-Identifier: MIT
-- Pages of an email's events, newest first, of all its recipients or of one of them.
ALTER TABLE event
	ADD INDEX IF NOT EXISTS time (email_id, timestamp, id),
	ADD INDEX IF NOT EXISTS recipient (email_id, recipient, timestamp, id);
