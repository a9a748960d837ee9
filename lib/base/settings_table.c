/* SPDX-License-Identifier: MIT */
/* The one table of settings: what the file may say, its defaults and ranges. */
#include "base/settings_table.h"

#include "base/limits.h"
#include "base/settings_check.h"

/* A limit that a workspace may have a value of its own for. */
#define LIMIT(key, fallback)                                                                       \
	{                                                                                          \
		"limits", key, SETTING_TYPE_NUMBER, fallback, 0, LIMIT_OF_LIMITS                   \
	}

/* clang-format off */
static const struct base_setting_row rows[] = {
	[SETTING_DATABASE_SOCKET] = {"database", "socket", SETTING_TYPE_PATH},
	[SETTING_DATABASE_HOST] = {"database", "host", SETTING_TYPE_TEXT},
	[SETTING_DATABASE_PORT] = {"database", "port", SETTING_TYPE_NUMBER, "3306", 1, 65535},
	[SETTING_DATABASE_USER] = {"database", "user", SETTING_TYPE_TEXT},
	[SETTING_DATABASE_PASSWORD] = {"database", "password", SETTING_TYPE_TEXT, .secret = true},
	[SETTING_DATABASE_NAME] = {"database", "name", SETTING_TYPE_TEXT, "posthouse"},
	[SETTING_DATABASE_TLS_CA] = {"database", "tls_ca", SETTING_TYPE_PATH},
	[SETTING_DATABASE_TLS_REQUIRED] = {"database", "tls_required", SETTING_TYPE_SWITCH, "no"},
	[SETTING_SMTP_HOST] = {"smtp", "host", SETTING_TYPE_LIST, "127.0.0.1",
		.check = base_settings_check_relay,
		.form = "a host name or an IPv4 address, :port may follow "
			"(for a relay with an IPv6 address give its name)"},
	[SETTING_SMTP_PORT] = {"smtp", "port", SETTING_TYPE_NUMBER, "25", 1, 65535},
	[SETTING_SMTP_TLS] = {"smtp", "tls", SETTING_TYPE_CHOICE, "opportunistic",
		.choices = {[TLS_NONE] = "none", [TLS_OPPORTUNISTIC] = "opportunistic",
			[TLS_REQUIRED] = "required"}},
	[SETTING_SMTP_TLS_CA] = {"smtp", "tls_ca", SETTING_TYPE_PATH},
	[SETTING_SMTP_TLS_VERIFY] = {"smtp", "tls_verify", SETTING_TYPE_SWITCH, "yes"},
	[SETTING_SMTP_USER] = {"smtp", "user", SETTING_TYPE_TEXT},
	[SETTING_SMTP_PASSWORD] = {"smtp", "password", SETTING_TYPE_TEXT, .secret = true},
	[SETTING_SMTP_TIMEOUT] = {"smtp", "timeout", SETTING_TYPE_NUMBER, "60", 1, 3600},
	[SETTING_SMTP_DATA_TIMEOUT] = {"smtp", "data_timeout", SETTING_TYPE_NUMBER, "600", 1, 3600},
	[SETTING_SMTP_CONNECT_TIMEOUT] = {"smtp", "connect_timeout", SETTING_TYPE_NUMBER, "5", 1, 3600},
	[SETTING_SMTP_HELO] = {"smtp", "helo", SETTING_TYPE_TEXT,
		.check = base_settings_check_helo, .form = "a host name or an [address]"},
	[SETTING_SMTP_FINAL] = {"smtp", "final", SETTING_TYPE_SWITCH, "no"},
	[SETTING_SMTP_UNCERTAIN] = {"smtp", "uncertain", SETTING_TYPE_CHOICE, "retry",
		.choices = {[UNCERTAIN_RETRY] = "retry", [UNCERTAIN_HOLD] = "hold"}},
	[SETTING_SMTP_DSN] = {"smtp", "dsn", SETTING_TYPE_SWITCH, "yes"},
	[SETTING_SMTP_RETURN_PATH] = {"smtp", "return_path", SETTING_TYPE_TEXT,
		.check = base_settings_check_mailbox, .form = "an address such as bounces@example.com"},
	[SETTING_SMTP_CONNECTIONS] = {"smtp", "connections", SETTING_TYPE_LIST, "20",
		.check = base_settings_check_limit, .form = "a number from 0 to 1000 (0: no limit)"},
	[SETTING_SMTP_RATE] = {"smtp", "rate", SETTING_TYPE_LIST, "0",
		.check = base_settings_check_limit, .form = "a number from 0 to 1000 (0: no limit)"},
	[SETTING_SERVICE_URL] = {"service", "url", SETTING_TYPE_TEXT, "http://localhost",
		.check = base_settings_check_url,
		.form = "an absolute http or https URL without user, query and fragment"},
	[SETTING_SERVICE_MODE] = {"service", "mode", SETTING_TYPE_CHOICE, "sync",
		.choices = {[MODE_SYNC] = "sync", [MODE_SPOOL] = "spool"}},
	[SETTING_SERVICE_UNKNOWN] = {"service", "unknown_members", SETTING_TYPE_CHOICE, "ignore",
		.choices = {[UNKNOWN_IGNORE] = "ignore", [UNKNOWN_REFUSE] = "refuse"}},
	[SETTING_SERVICE_MAIL_FROM_MX] = {"service", "mail_from_mx", SETTING_TYPE_TEXT,
		.check = base_settings_check_name, .form = "a host name"},
	[SETTING_SERVICE_SPF] = {"service", "spf", SETTING_TYPE_LIST,
		.check = base_settings_check_spf,
		.form = "an SPF mechanism such as include:NAME, ip4:ADDRESS, a or mx "
			"(the record's \"all\" is added to them)"},
	[SETTING_SERVICE_SECRET_FILE] = {"service", "secret_file", SETTING_TYPE_PATH, .required = true},
	[SETTING_SERVICE_TRUST_PROXY] = {"service", "trust_proxy", SETTING_TYPE_LIST,
		.check = base_settings_check_network, .form = "a network such as 10.0.0.0/8 or fd00::/8"},
	[SETTING_SERVICE_RECYCLE] = {"service", "recycle", SETTING_TYPE_NUMBER, "10000", 0, 1000000},
	[SETTING_SPOOL_DIR] = {"spool", "dir", SETTING_TYPE_PATH, .required = true},
	[SETTING_SPOOL_BATCH] = {"spool", "batch", SETTING_TYPE_NUMBER, "100", 1, 500},
	[SETTING_SPOOL_JOBS] = {"spool", "jobs", SETTING_TYPE_NUMBER, "2", 1, 64},
	[SETTING_SPOOL_LEASE] = {"spool", "lease", SETTING_TYPE_NUMBER, "600", 10, 86400},
	[SETTING_RETENTION_BODIES] = {"retention", "bodies", SETTING_TYPE_NUMBER, "0", 0, 36500},
	[SETTING_RETENTION_EMAILS] = {"retention", "emails", SETTING_TYPE_NUMBER, "0", 0, 36500},
	[SETTING_RETENTION_EVENTS] = {"retention", "events", SETTING_TYPE_NUMBER, "0", 0, 36500},
	[SETTING_RETENTION_EXECUTIONS] = {"retention", "executions", SETTING_TYPE_NUMBER, "0", 0, 36500},
	/* The default is LIMIT_REQUEST_BYTES, which the test holds it against. */
	[SETTING_LIMITS_REQUEST_BYTES] = {"limits", "request_bytes", SETTING_TYPE_NUMBER,
		"134217728", 1 << 20, 1 << 30},
	[SETTING_LIMITS_LARGE_REQUESTS] = {"limits", "large_requests", SETTING_TYPE_NUMBER, "2", 0, 1000},
	/* Defaults other than 0 are those of base/limits.h, which the test holds them against. */
	[SETTING_LIMITS_REQUESTS_PER_SECOND] = LIMIT("requests_per_second", "0"),
	[SETTING_LIMITS_BURST] = LIMIT("burst", NULL),
	[SETTING_LIMITS_KEY_REQUESTS_PER_SECOND] = LIMIT("key_requests_per_second", "0"),
	[SETTING_LIMITS_KEY_BURST] = LIMIT("key_burst", NULL),
	[SETTING_LIMITS_EMAILS_PER_HOUR] = LIMIT("emails_per_hour", "0"),
	[SETTING_LIMITS_EMAILS_PER_DAY] = LIMIT("emails_per_day", "0"),
	[SETTING_LIMITS_DOMAINS] = LIMIT("domains", "0"),
	[SETTING_LIMITS_AUDIENCES] = LIMIT("audiences", "0"),
	[SETTING_LIMITS_TEMPLATES] = LIMIT("templates", "0"),
	[SETTING_LIMITS_WORKFLOWS] = LIMIT("workflows", "1000"),
	[SETTING_LIMITS_WEBHOOKS] = LIMIT("webhooks", "50"),
	[SETTING_LIMITS_WORKFLOWS_PER_EVENT] = LIMIT("workflows_per_event", "100"),
	[SETTING_FETCH_ALLOW] = {"fetch", "allow", SETTING_TYPE_LIST,
		.check = base_settings_check_network, .form = "a network such as 10.0.0.0/8 or fd00::/8"},
	[SETTING_FETCH_PORTS] = {"fetch", "ports", SETTING_TYPE_LIST,
		.check = base_settings_check_port, .form = "a port from 1 to 65535"},
	[SETTING_DNS_SERVERS] = {"dns", "servers", SETTING_TYPE_LIST,
		.check = base_settings_check_server,
		.form = "an address:port such as 192.0.2.1:53 or [2001:db8::1]:53"},
};
/* clang-format on */

G_STATIC_ASSERT(G_N_ELEMENTS(rows) == SETTING_COUNT);

const struct base_setting_row *
base_settings_describe(enum base_setting setting)
{
	g_assert(setting < SETTING_COUNT);
	return &rows[setting];
}
