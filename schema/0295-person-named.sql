-- SPDX-License-Identifier: MIT
-- People in the order of their addresses, with their names: a search of a list looks at many people without reading their
-- rows (lib/store/search.h).
ALTER TABLE person ADD INDEX IF NOT EXISTS named (workspace_id, address, first_name, last_name);
