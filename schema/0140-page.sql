-- SPDX-License-Identifier: MIT
-- The looks of the page on which people choose what they get. text: JSON object, language to text; '' where there is none,
-- as in the other columns.
CREATE TABLE IF NOT EXISTS page (
	workspace_id BINARY(16) NOT NULL,
	title VARCHAR(100) NOT NULL,
	text TEXT NOT NULL,
	colour VARCHAR(7) NOT NULL,
	logo_url VARCHAR(2000) NOT NULL,
	address VARCHAR(500) NOT NULL,
	updated BIGINT NOT NULL,
	PRIMARY KEY (workspace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
