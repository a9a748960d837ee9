-- SPDX-License-Identifier: MIT
-- The html and text that an email alone has, packed and compressed (lib/store/content.h), in the order of the emails. Larger
-- ones, and those of templates, are in body. Programs from before this step do not find them: see lib/store/schema.c.
CREATE TABLE IF NOT EXISTS email_content (
	email_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	data MEDIUMBLOB NOT NULL,
	PRIMARY KEY (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
