-- SPDX-License-Identifier: MIT
-- Recorded delivery reports, each once for an email, since a report may arrive again. digest: see mail/report.h.
CREATE TABLE IF NOT EXISTS report (
	email_id BINARY(16) NOT NULL,
	digest BINARY(32) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (email_id, digest)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
