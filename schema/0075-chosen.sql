-- SPDX-License-Identifier: MIT
-- People who unsubscribed before choices were stored: they stand on the suppression list, and a recipient's latest
-- event is to unsubscribe.
INSERT IGNORE INTO choice (workspace_id, person, suppression_id, created)
	SELECT s.workspace_id, s.address, s.id, s.created FROM workspace w
	STRAIGHT_JOIN recipient r ON r.workspace_id = w.id AND r.status = 7
	STRAIGHT_JOIN suppression s FORCE INDEX (address) ON s.workspace_id = r.workspace_id AND s.address = LOWER(r.address)
	WHERE s.reason = 3;
INSERT IGNORE INTO choice_link (workspace_id, person, email_id, recipient, created)
	SELECT r.workspace_id, c.person, r.email_id, r.number, r.status_at FROM workspace w
	STRAIGHT_JOIN recipient r ON r.workspace_id = w.id AND r.status = 7
	STRAIGHT_JOIN choice c ON c.workspace_id = r.workspace_id AND c.person = LOWER(r.address);
