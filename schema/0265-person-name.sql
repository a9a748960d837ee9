-- SPDX-License-Identifier: MIT
-- People are found by the beginning of their names (lib/store/search.h). Those without names are next to each other in
-- both keys, in the order in which they come.
ALTER TABLE person
	ADD INDEX IF NOT EXISTS first_name (workspace_id, first_name, last_name),
	ADD INDEX IF NOT EXISTS last_name (workspace_id, last_name);
