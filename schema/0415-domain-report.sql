-- SPDX-License-Identifier: MIT
-- Reports that receivers send about a domain. kind: 1 DMARC, 2 TLS. digest: of reporter, report id and begin. day: of begin, in UTC.
-- enforced: the policy that the reporter found for the domain: 0 none, 1 quarantine, 2 reject. summary: JSON, the row of a list.
CREATE TABLE IF NOT EXISTS domain_report (
	id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	domain_id BINARY(16) NOT NULL,
	kind TINYINT NOT NULL,
	digest BINARY(32) NOT NULL,
	reporter VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	day INT NOT NULL,
	verified TINYINT NOT NULL,
	enforced TINYINT NOT NULL,
	summary MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY digest (workspace_id, domain_id, kind, digest),
	KEY domain (workspace_id, domain_id, kind, id),
	KEY day (workspace_id, domain_id, kind, day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
-- What a DMARC report tells about a source: its messages, by how they fared. begin, end: of the report.
CREATE TABLE IF NOT EXISTS dmarc_source (
	workspace_id BINARY(16) NOT NULL,
	domain_id BINARY(16) NOT NULL,
	day INT NOT NULL,
	report_id BINARY(16) NOT NULL,
	source VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	fate TINYINT NOT NULL,
	reporter VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	verified TINYINT NOT NULL,
	messages BIGINT NOT NULL,
	passed BIGINT NOT NULL,
	dkim_aligned BIGINT NOT NULL,
	spf_aligned BIGINT NOT NULL,
	quarantined BIGINT NOT NULL,
	rejected BIGINT NOT NULL,
	begin BIGINT NOT NULL,
	end BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, domain_id, day, report_id, source, fate)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
