-- SPDX-License-Identifier: MIT
-- A user is an address in a workspace; the same address in another workspace is another row. role: see enum store_role.
-- removed: epoch ms, when the user was removed; the row stays for what the user has made. last_seen: epoch ms, exact to a
-- minute; NULL: never.
ALTER TABLE user ADD COLUMN IF NOT EXISTS role TINYINT NOT NULL DEFAULT 0;
ALTER TABLE user ADD COLUMN IF NOT EXISTS removed BIGINT NULL;
ALTER TABLE user ADD COLUMN IF NOT EXISTS last_seen BIGINT NULL;
ALTER TABLE user ADD KEY IF NOT EXISTS person (email, created);
-- The first user of each workspace owns it; the others are members.
UPDATE user u JOIN (SELECT workspace_id, MIN(id) AS id FROM user GROUP BY workspace_id) f
	ON f.workspace_id = u.workspace_id SET u.role = IF(u.id = f.id, 3, 2) WHERE u.role = 0;
