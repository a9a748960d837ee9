-- SPDX-License-Identifier: MIT
-- Sending domains, their DKIM keys, the checks of their DNS and their warm-up.

-- Sending domains.
CREATE TABLE IF NOT EXISTS domain (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The user who registered it; NULL: an operator. -> user
	user_id BINARY(16) NULL,
	-- The name in A-labels and lower case.
	name VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- See enum store_domain_status.
	status TINYINT NOT NULL,
	-- 1: an operator vouches for the domain, and DNS is not checked.
	trusted TINYINT NOT NULL DEFAULT 0,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- 1: opens of its mail are tracked.
	open_tracking TINYINT NOT NULL DEFAULT 0,
	-- 1: clicks in its mail are tracked.
	click_tracking TINYINT NOT NULL DEFAULT 0,
	-- Epoch ms at which it was warmed up; NULL: not yet.
	warmed_up_at BIGINT NULL,
	-- Epoch ms at which to look next whether it is warmed up; NULL: it is.
	warm_check BIGINT DEFAULT 0,
	-- The names of the relays of its mail, separated by blanks; NULL: it has no route of its own.
	relays VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	-- The region that a client of /resend has named, which is shown again and means nothing here.
	region VARCHAR(32) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL DEFAULT 'us-east-1',
	-- 1: mail for the domain is taken.
	receiving TINYINT NOT NULL DEFAULT 0,
	-- Epoch ms at which it first was; NULL: never.
	received_since BIGINT NULL,
	-- 1: its emails have a Reply-To of ours.
	reply_tracking TINYINT NOT NULL DEFAULT 0,
	-- The same for mail of the stream transactional, in place of relays; NULL: none.
	relays_transactional VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The same for mail of the stream automation, in place of relays; NULL: none.
	relays_automation VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The same for mail of the stream broadcast, in place of relays; NULL: none.
	relays_broadcast VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The label in front of its name at which its return paths are.
	return_path VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'send',
	-- 1: its mail leaves over TLS with a certificate that holds alone.
	tls_enforced TINYINT NOT NULL DEFAULT 0,
	-- The host of the links in its mail; NULL: that of the settings.
	tracking_host VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- 1: links of new mail have that host.
	tracking_used TINYINT NOT NULL DEFAULT 0,
	PRIMARY KEY (id),
	UNIQUE KEY name (workspace_id,name),
	KEY workspace (workspace_id,id),
	KEY warm_check (warm_check),
	KEY receiving (name,receiving),
	KEY tracking_host (tracking_host)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The DKIM keys of a domain.
CREATE TABLE IF NOT EXISTS domain_key (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The domain. -> domain
	domain_id BINARY(16) NOT NULL,
	-- See enum store_domain_key_algorithm.
	algorithm TINYINT NOT NULL,
	-- The selector, below which DNS has the public key.
	selector VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The private key as PKCS#8, encrypted with the installation's secret and bound to id.
	private VARBINARY(4096) NOT NULL,
	-- The public key as DNS shall have it.
	public VARCHAR(1024) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- See enum store_domain_key_state.
	state TINYINT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- 1: the last check has found it in DNS.
	seen TINYINT NOT NULL DEFAULT 0,
	-- Epoch ms since which it signs no longer; NULL: it signs, or will.
	retired_at BIGINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY selector (domain_id,selector),
	KEY retired_at (retired_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The DNS checks of a domain.
CREATE TABLE IF NOT EXISTS domain_check (
	-- The domain. -> domain
	domain_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Epoch ms at which the schedule of its checks began.
	series BIGINT NOT NULL,
	-- Epoch ms at which the next check is due, or at which the lease of a claim ends; NULL: never.
	next_check BIGINT NULL,
	-- The token of the process that claimed the check; NULL: nobody has.
	token BIGINT NULL,
	-- Epoch ms of the last check; NULL: none yet.
	last_checked BIGINT NULL,
	-- Epoch ms of the last check that found all records; NULL: none yet.
	last_success BIGINT NULL,
	-- Epoch ms of the first of the checks that have failed since; NULL: the last one did not.
	failing_since BIGINT NULL,
	-- See enum store_domain_error.
	error TINYINT NOT NULL DEFAULT 0,
	-- The records that the last check found, JSON, see core/zone.h.
	findings MEDIUMTEXT NULL,
	-- The primary name server in the zone's SOA record; NULL: unknown.
	soa_primary VARCHAR(1024) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The mailbox in the SOA record; NULL: unknown.
	soa_admin VARCHAR(1024) CHARACTER SET ascii COLLATE ascii_bin NULL,
	-- The serial number in the SOA record; NULL: unknown.
	soa_serial BIGINT NULL,
	-- Epoch ms at which the tracking host was last checked; NULL: not yet.
	tracking_checked BIGINT NULL,
	-- Epoch ms at which a check last found its record; NULL: never.
	tracking_found BIGINT NULL,
	-- Why it was not reached at the last check; NULL: it was, or was not asked.
	tracking_error VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	PRIMARY KEY (domain_id),
	KEY next_check (next_check),
	KEY turn (workspace_id,next_check)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The delivered and bounced mail of a domain that is not warmed up, on a day: the sums over up to 16 rows.
CREATE TABLE IF NOT EXISTS domain_day (
	-- The domain. -> domain
	domain_id BINARY(16) NOT NULL,
	-- The day (UTC) counted from 1970.
	day INT NOT NULL,
	-- The row of the process that adds, so that parallel writers do not wait for each other; past days are joined in
	-- 0.
	stripe TINYINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The recipients whose server took the mail.
	delivered BIGINT NOT NULL,
	-- The recipients whose server refused it for good.
	bounced BIGINT NOT NULL,
	PRIMARY KEY (domain_id,day,stripe)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The recipients for whom a domain had permission on a day, while [warmup] limits hold for it.
CREATE TABLE IF NOT EXISTS domain_sent (
	-- The domain. -> domain
	domain_id BINARY(16) NOT NULL,
	-- The day (UTC) counted from 1970; there is a row for each one on which the domain wanted to send.
	day INT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The recipients with permission on this day.
	recipients BIGINT NOT NULL,
	PRIMARY KEY (domain_id,day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Reports that receivers sent about a domain.
CREATE TABLE IF NOT EXISTS domain_report (
	-- A UUID version 7, of the time at which it came.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The domain. -> domain
	domain_id BINARY(16) NOT NULL,
	-- See enum store_domain_report_kind.
	kind TINYINT NOT NULL,
	-- The SHA-256 of reporter, report id and begin.
	digest BINARY(32) NOT NULL,
	-- The organization that reports.
	reporter VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	-- The day of its begin since 1970, in UTC.
	day INT NOT NULL,
	-- Whether the domain of the reporter has vouched for it.
	verified TINYINT NOT NULL,
	-- The policy that it found for the domain: 0 none, 1 quarantine, 2 reject.
	enforced TINYINT NOT NULL,
	-- JSON: the row of a list.
	summary MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY digest (workspace_id,domain_id,kind,digest),
	KEY domain (workspace_id,domain_id,kind,id),
	KEY day (workspace_id,domain_id,kind,day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The messages of a source by one DMARC report, by how they fared.
CREATE TABLE IF NOT EXISTS dmarc_source (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The domain. -> domain
	domain_id BINARY(16) NOT NULL,
	-- The day of the report.
	day INT NOT NULL,
	-- The report. -> domain_report
	report_id BINARY(16) NOT NULL,
	-- The address of the source, or unknown.
	source VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- See enum store_dmarc_fate.
	fate TINYINT NOT NULL,
	-- The organization that reports.
	reporter VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	-- Whether its domain has vouched for the report.
	verified TINYINT NOT NULL,
	-- Messages.
	messages BIGINT NOT NULL,
	-- Those for which DKIM or SPF passed aligned.
	passed BIGINT NOT NULL,
	-- Those for which DKIM did.
	dkim_aligned BIGINT NOT NULL,
	-- Those for which SPF did.
	spf_aligned BIGINT NOT NULL,
	-- Those that were put into quarantine.
	quarantined BIGINT NOT NULL,
	-- Those that were rejected.
	rejected BIGINT NOT NULL,
	-- Epoch ms: the begin of the report.
	begin BIGINT NOT NULL,
	-- Epoch ms: its end.
	end BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,domain_id,day,report_id,source,fate)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
