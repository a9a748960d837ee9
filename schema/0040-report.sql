-- SPDX-License-Identifier: MIT
-- Delivery reports that have been recorded, each once for an email: the same report may come again. digest: see mail/report.h.
CREATE TABLE IF NOT EXISTS report (
	email_id BINARY(16) NOT NULL,
	digest BINARY(32) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (email_id, digest)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
