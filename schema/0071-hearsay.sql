-- SPDX-License-Identifier: MIT
-- Statements of reports that prove too little to suppress an address (core/report.h): the first one for each recipient
-- of an email, kept until enough of them agree. verdict: see enum store_hearsay. created: when it was reported.
CREATE TABLE IF NOT EXISTS hearsay (
	email_id BINARY(16) NOT NULL,
	recipient SMALLINT NOT NULL,
	verdict TINYINT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (email_id, recipient, verdict),
	KEY created (created)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
