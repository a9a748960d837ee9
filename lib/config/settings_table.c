/* SPDX-License-Identifier: MIT */
/* The table of settings with their defaults and ranges, and the checks of their forms. */
#include "config/settings_table.h"

#include <arpa/inet.h>
#include <glib.h>
#include <string.h>

#include "base/limits.h"
#include "text/hostname.h"
#include "text/time_zone.h"

static bool
settings_table_is_address(int family, const char *text)
{
	guint8 address[sizeof(struct in6_addr)];

	return inet_pton(family, text, address) == 1;
}

static bool
settings_table_is_number(const char *text, guint64 min, guint64 max)
{
	return g_ascii_string_to_unsigned(text, 10, min, max, NULL, NULL);
}

/* A host name of at least one label; not an address. */
static bool
settings_table_is_name_form(char *entry)
{
	return text_hostname_is_host(entry);
}

/* local@host, in which the local part needs no quotes. */
static bool
settings_table_is_mailbox_form(char *entry)
{
	const char *at = strchr(entry, '@');
	gsize local = strspn(
	    entry, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!#$%&*+-/=?^_~");

	return at && local == (gsize)(at - entry) && local > 0 && local <= LIMIT_LOCAL_PART_BYTES &&
	       entry[0] != '.' && at[-1] != '.' && !strstr(entry, "..") && strchr(at, '.') &&
	       strlen(entry) <= LIMIT_ADDRESS_BYTES && text_hostname_is_host(at + 1);
}

/* Whether a text is the display name of an address, bare or in quotes. */
static bool
is_display_name(const char *text)
{
	gsize size = strlen(text);
	bool is_quoted = size >= 2 && text[0] == '"' && text[size - 1] == '"';
	g_autofree char *name = g_strndup(text + is_quoted, size - 2 * (gsize)is_quoted);

	for (const char *p = name; *p; p = g_utf8_next_char(p))
		if (g_unichar_iscntrl(g_utf8_get_char(p)))
			return false;
	return !strpbrk(name, is_quoted ? "\"\\" : "\"\\<>()[]:;@,");
}

/* local@host, or NAME <local@host>. */
static bool
is_sender_form(char *entry)
{
	char *open = strrchr(entry, '<');
	gsize size = strlen(entry);

	if (!open)
		return settings_table_is_mailbox_form(entry);
	if (entry[size - 1] != '>')
		return false;
	g_autofree char *name = g_strchomp(g_strndup(entry, (gsize)(open - entry)));
	g_autofree char *address = g_strndup(open + 1, (gsize)(entry + size - open) - 2);
	return g_utf8_strlen(entry, -1) <= LIMIT_FROM_LENGTH && is_display_name(name) &&
	       settings_table_is_mailbox_form(address);
}

static bool
is_zone_form(char *entry)
{
	g_autoptr(GTimeZone) zone = text_time_zone(entry);

	return zone != NULL;
}

static bool
is_port_form(char *entry)
{
	return settings_table_is_number(entry, 1, G_MAXUINT16);
}

static bool
is_limit_form(char *entry)
{
	return settings_table_is_number(entry, 0, 1000);
}

static bool
is_warmup_form(char *entry)
{
	return settings_table_is_number(entry, 0, LIMIT_WARMUP_RECIPIENTS);
}

/* The argument of HELO (RFC 5321 section 4.1.1.1): a host name or [address]. */
static bool
settings_table_is_helo_form(char *entry)
{
	size_t size = strlen(entry);

	if (entry[0] != '[' || entry[size - 1] != ']')
		return text_hostname_is_host(entry);
	g_autofree char *address = g_strndup(entry + 1, size - 2);
	if (g_str_has_prefix(address, "IPv6:"))
		return settings_table_is_address(AF_INET6, address + strlen("IPv6:"));
	return settings_table_is_address(AF_INET, address);
}

/* A host name or an IPv4 address; :port may follow. */
static bool
is_relay_form(char *entry)
{
	char *colon = strchr(entry, ':');
	g_autofree char *host = g_strndup(entry, colon ? (gsize)(colon - entry) : strlen(entry));

	if (colon && !settings_table_is_number(colon + 1, 1, G_MAXUINT16))
		return false;
	return settings_table_is_address(AF_INET, host) || text_hostname_is_host(host);
}

/* An absolute http or https URL without user, query and fragment. Cuts off final slashes. */
static bool
is_url_form(char *entry)
{
	size_t size = strlen(entry);

	for (const char *c = entry; *c; c++)
		if (!g_ascii_isgraph(*c))
			return false;
	while (size && entry[size - 1] == '/')
		entry[--size] = '\0';
	g_autoptr(GUri) uri = g_uri_parse(entry, G_URI_FLAGS_NONE, NULL);
	if (!uri)
		return false;

	const char *scheme = g_uri_get_scheme(uri), *host = g_uri_get_host(uri);
	return (!strcmp(scheme, "http") || !strcmp(scheme, "https")) && host && *host &&
	       g_uri_get_port(uri) != 0 && !g_uri_get_userinfo(uri) && !g_uri_get_query(uri) &&
	       !g_uri_get_fragment(uri);
}

static bool
is_network(int family, const char *text, guint64 bits)
{
	const char *slash = strchr(text, '/');

	if (!slash)
		return false;
	g_autofree char *address = g_strndup(text, (gsize)(slash - text));
	return settings_table_is_address(family, address) &&
	       settings_table_is_number(slash + 1, 0, bits);
}

/* An address or a network of the family. */
static bool
is_range(int family, const char *text)
{
	return settings_table_is_address(family, text) ||
	       is_network(family, text, family == AF_INET ? 32 : 128);
}

/* An SPF mechanism (RFC 7208 section 5) except "all", which the record itself ends with, and "ptr",
   which must not be published. */
static bool
is_spf_form(char *entry)
{
	const char *p = *entry && strchr("+-?~", *entry) ? entry + 1 : entry;
	g_autofree char *name = g_ascii_strdown(p, (gssize)strcspn(p, ":/"));
	const char *value = p + strlen(name);

	for (const char *c = p; *c; c++)
		if (!g_ascii_isgraph(*c) || *c == '"' || *c == '\\')
			return false;
	if (!strcmp(name, "a") || !strcmp(name, "mx"))
		return !*value || value[1];
	if (*value != ':' || !value[1])
		return false;
	if (!strcmp(name, "ip4") || !strcmp(name, "ip6"))
		return is_range(name[2] == '4' ? AF_INET : AF_INET6, value + 1);
	return !strcmp(name, "include") || !strcmp(name, "exists");
}

/* ADDRESS/PREFIX, IPv4 or IPv6. Bits after the prefix may be set. */
static bool
is_network_form(char *entry)
{
	return is_network(AF_INET, entry, 32) || is_network(AF_INET6, entry, 128);
}

/* ADDRESS:PORT, with an IPv6 address in brackets. */
static bool
is_server_form(char *entry)
{
	const char *colon = strrchr(entry, ':');

	if (!colon || colon == entry || !settings_table_is_number(colon + 1, 1, G_MAXUINT16))
		return false;
	if (entry[0] != '[' || colon[-1] != ']') {
		g_autofree char *address = g_strndup(entry, (gsize)(colon - entry));
		return settings_table_is_address(AF_INET, address);
	}
	g_autofree char *address = g_strndup(entry + 1, (gsize)(colon - entry) - 2);
	return settings_table_is_address(AF_INET6, address);
}

static bool
is_log_form(char *entry)
{
	return !strcmp(entry, "stderr") || !strcmp(entry, "syslog") || g_path_is_absolute(entry);
}

/* Digits with a point among them, up to a microsecond. */
static bool
is_seconds_form(char *entry)
{
	size_t whole = strspn(entry, "0123456789");
	const char *rest = entry + whole;
	size_t part = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;

	return whole >= 1 && whole <= 6 && part <= 6 && (*rest == '.') == (part > 0) &&
	       !rest[part ? part + 1 : 0] && g_ascii_strtod(entry, NULL) > 0;
}

#define PERCENT_FORM "a percentage from 0 to 100, such as 0.3"

/* Up to three decimals. */
static bool
is_percent_form(char *entry)
{
	size_t whole = strspn(entry, "0123456789");
	const char *rest = entry + whole;
	size_t part = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;

	return whole >= 1 && whole <= 3 && part <= 3 && (*rest == '.') == (part > 0) &&
	       !rest[part ? part + 1 : 0] && g_ascii_strtod(entry, NULL) <= 100;
}

/* HOST:PORT: a host name or an address, an IPv6 address in brackets. */
static bool
is_place_form(char *entry)
{
	return is_server_form(entry) || (strchr(entry, ':') && is_relay_form(entry));
}

/* A limit for which a workspace may have its own value. */
#define LIMIT(key, fallback)                                                                       \
	{                                                                                          \
		"limits", key, SETTING_TYPE_NUMBER, fallback, 0, LIMIT_OF_LIMITS                   \
	}

/* clang-format off */
static const struct config_setting_row rows[] = {
	[SETTING_DATABASE_SOCKET] = {"database", "socket", SETTING_TYPE_PATH},
	[SETTING_DATABASE_HOST] = {"database", "host", SETTING_TYPE_TEXT},
	[SETTING_DATABASE_PORT] = {"database", "port", SETTING_TYPE_NUMBER, "3306", 1, 65535},
	[SETTING_DATABASE_USER] = {"database", "user", SETTING_TYPE_TEXT},
	[SETTING_DATABASE_PASSWORD] = {"database", "password", SETTING_TYPE_TEXT, .secret = true},
	[SETTING_DATABASE_NAME] = {"database", "name", SETTING_TYPE_TEXT, "posthouse"},
	[SETTING_DATABASE_TLS_CA] = {"database", "tls_ca", SETTING_TYPE_PATH},
	[SETTING_DATABASE_TLS_REQUIRED] = {"database", "tls_required", SETTING_TYPE_SWITCH, "no"},
	[SETTING_SMTP_HOST] = {"smtp", "host", SETTING_TYPE_LIST, "127.0.0.1",
		.check = is_relay_form,
		.form = "a host name or an IPv4 address, :port may follow "
			"(for a relay with an IPv6 address give its name)"},
	[SETTING_SMTP_PORT] = {"smtp", "port", SETTING_TYPE_NUMBER, "25", 1, 65535},
	[SETTING_SMTP_TLS] = {"smtp", "tls", SETTING_TYPE_CHOICE, "opportunistic",
		.choices = {[TLS_NONE] = "none", [TLS_OPPORTUNISTIC] = "opportunistic",
			[TLS_REQUIRED] = "required", [TLS_IMPLICIT] = "implicit"}},
	[SETTING_SMTP_TLS_CA] = {"smtp", "tls_ca", SETTING_TYPE_PATH},
	[SETTING_SMTP_TLS_VERIFY] = {"smtp", "tls_verify", SETTING_TYPE_SWITCH, "yes"},
	[SETTING_SMTP_USER] = {"smtp", "user", SETTING_TYPE_TEXT},
	[SETTING_SMTP_PASSWORD] = {"smtp", "password", SETTING_TYPE_TEXT, .secret = true},
	[SETTING_SMTP_TIMEOUT] = {"smtp", "timeout", SETTING_TYPE_NUMBER, "60", 1, 3600},
	[SETTING_SMTP_DATA_TIMEOUT] = {"smtp", "data_timeout", SETTING_TYPE_NUMBER, "600", 1, 3600},
	[SETTING_SMTP_CONNECT_TIMEOUT] = {"smtp", "connect_timeout", SETTING_TYPE_NUMBER, "5", 1, 3600},
	[SETTING_SMTP_HELO] = {"smtp", "helo", SETTING_TYPE_TEXT,
		.check = settings_table_is_helo_form, .form = "a host name or an [address]"},
	[SETTING_SMTP_FINAL] = {"smtp", "final", SETTING_TYPE_SWITCH, "no"},
	[SETTING_SMTP_UNCERTAIN] = {"smtp", "uncertain", SETTING_TYPE_CHOICE, "retry",
		.choices = {[UNCERTAIN_RETRY] = "retry", [UNCERTAIN_HOLD] = "hold"}},
	[SETTING_SMTP_DSN] = {"smtp", "dsn", SETTING_TYPE_SWITCH, "yes"},
	[SETTING_SMTP_ALLOW_PROVIDER_HEADERS] = {"smtp", "allow_provider_headers",
		SETTING_TYPE_SWITCH, "no"},
	[SETTING_SMTP_RETURN_PATH] = {"smtp", "return_path", SETTING_TYPE_TEXT,
		.check = settings_table_is_mailbox_form, .form = "an address such as bounces@example.com"},
	[SETTING_SMTP_CONNECTIONS] = {"smtp", "connections", SETTING_TYPE_LIST, "20",
		.check = is_limit_form, .form = "a number from 0 to 1000 (0: no limit)"},
	[SETTING_SMTP_RATE] = {"smtp", "rate", SETTING_TYPE_LIST, "0",
		.check = is_limit_form, .form = "a number from 0 to 1000 (0: no limit)"},
	[SETTING_WARMUP_LIMITS] = {"warmup", "limits", SETTING_TYPE_LIST,
		.check = is_warmup_form, .form = "a number from 0 to 100000000"},
	[SETTING_SERVICE_URL] = {"service", "url", SETTING_TYPE_TEXT, "http://localhost",
		.check = is_url_form,
		.form = "an absolute http or https URL without user, query and fragment"},
	[SETTING_SERVICE_MODE] = {"service", "mode", SETTING_TYPE_CHOICE, "sync",
		.choices = {[MODE_SYNC] = "sync", [MODE_SPOOL] = "spool"}},
	[SETTING_SERVICE_UNKNOWN] = {"service", "unknown_members", SETTING_TYPE_CHOICE, "ignore",
		.choices = {[UNKNOWN_IGNORE] = "ignore", [UNKNOWN_REFUSE] = "refuse"}},
	[SETTING_SERVICE_MAIL_FROM_MX] = {"service", "mail_from_mx", SETTING_TYPE_TEXT,
		.check = settings_table_is_name_form, .form = "a host name"},
	[SETTING_SERVICE_SPF] = {"service", "spf", SETTING_TYPE_LIST,
		.check = is_spf_form,
		.form = "an SPF mechanism such as include:NAME, ip4:ADDRESS, a or mx "
			"(the record's \"all\" is added to them)"},
	[SETTING_SERVICE_SENDER] = {"service", "sender", SETTING_TYPE_TEXT,
		.check = is_sender_form,
		.form = "an address such as Posthouse <posthouse@example.com>"},
	[SETTING_SERVICE_SECRET_FILE] = {"service", "secret_file", SETTING_TYPE_PATH, .required = true},
	[SETTING_SERVICE_TRUST_PROXY] = {"service", "trust_proxy", SETTING_TYPE_LIST,
		.check = is_network_form, .form = "a network such as 10.0.0.0/8 or fd00::/8"},
	[SETTING_SERVICE_RECYCLE] = {"service", "recycle", SETTING_TYPE_NUMBER, "10000", 0, 1000000},
	[SETTING_SERVICE_SECCOMP] = {"service", "seccomp", SETTING_TYPE_SWITCH, "no"},
	[SETTING_SPOOL_DIR] = {"spool", "dir", SETTING_TYPE_PATH, .required = true},
	[SETTING_SPOOL_BATCH] = {"spool", "batch", SETTING_TYPE_NUMBER, "100", 1, 500},
	[SETTING_SPOOL_JOBS] = {"spool", "jobs", SETTING_TYPE_NUMBER, "2", 1, 64},
	[SETTING_SPOOL_LEASE] = {"spool", "lease", SETTING_TYPE_NUMBER, "600", 10, 86400},
	[SETTING_RETENTION_BODIES] = {"retention", "bodies", SETTING_TYPE_NUMBER, "0", 0, 36500},
	[SETTING_RETENTION_EMAILS] = {"retention", "emails", SETTING_TYPE_NUMBER, "0", 0, 36500},
	[SETTING_RETENTION_EVENTS] = {"retention", "events", SETTING_TYPE_NUMBER, "0", 0, 36500},
	[SETTING_RETENTION_EXECUTIONS] = {"retention", "executions", SETTING_TYPE_NUMBER, "0", 0, 36500},
	[SETTING_RETENTION_PENDING] = {"retention", "pending", SETTING_TYPE_NUMBER, "30", 0, 36500},
	[SETTING_RETENTION_AUDIT] = {"retention", "audit", SETTING_TYPE_NUMBER, "365", 0, 36500},
	[SETTING_MAILINGS_RSPAMD] = {"mailings", "rspamd", SETTING_TYPE_TEXT,
		.check = is_url_form, .form = "an absolute http or https URL"},
	[SETTING_MAILINGS_SPAMC] = {"mailings", "spamc", SETTING_TYPE_PATH},
	[SETTING_MAILINGS_PAUSE_BOUNCES] = {"mailings", "pause_bounces", SETTING_TYPE_TEXT, "8",
		.check = is_percent_form, .form = PERCENT_FORM},
	[SETTING_MAILINGS_PAUSE_COMPLAINTS] = {"mailings", "pause_complaints", SETTING_TYPE_TEXT, "0.3",
		.check = is_percent_form, .form = PERCENT_FORM},
	[SETTING_MAILINGS_PAUSE_AFTER] = {"mailings", "pause_after", SETTING_TYPE_NUMBER, "500", 1, 100000000},
	[SETTING_SESSION_LINK] = {"session", "link", SETTING_TYPE_NUMBER, "900", 1, 31536000},
	[SETTING_SESSION_IDLE] = {"session", "idle", SETTING_TYPE_NUMBER, "43200", 1, 31536000},
	[SETTING_SESSION_LONGEST] = {"session", "longest", SETTING_TYPE_NUMBER, "2592000", 1, 31536000},
	[SETTING_SESSION_ATTEMPTS] = {"session", "attempts", SETTING_TYPE_NUMBER, "10", 1, 1000},
	/* The default is LIMIT_REQUEST_BYTES; tests/base/settings.c compares them. */
	[SETTING_LIMITS_REQUEST_BYTES] = {"limits", "request_bytes", SETTING_TYPE_NUMBER,
		"134217728", 1 << 20, 1 << 30},
	[SETTING_LIMITS_FETCHING_REQUESTS] = {"limits", "fetching_requests", SETTING_TYPE_NUMBER, "4", 0, 1000},
	[SETTING_LIMITS_LARGE_REQUESTS] = {"limits", "large_requests", SETTING_TYPE_NUMBER, "2", 0, 1000},
	[SETTING_LIMITS_COUNT_MS] = {"limits", "count_ms", SETTING_TYPE_NUMBER, "10000", 1, 600000},
	[SETTING_LIMITS_COUNT_WAIT_MS] = {"limits", "count_wait_ms", SETTING_TYPE_NUMBER, "5000", 0, 60000},
	/* Defaults other than 0 come from base/limits.h; tests/base/settings.c compares them. */
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
		.check = is_network_form, .form = "a network such as 10.0.0.0/8 or fd00::/8"},
	[SETTING_FETCH_PORTS] = {"fetch", "ports", SETTING_TYPE_LIST,
		.check = is_port_form, .form = "a port from 1 to 65535"},
	[SETTING_WEBHOOKS_CONNECTIONS] = {"webhooks", "connections", SETTING_TYPE_NUMBER, "20", 1, 1000},
	[SETTING_WEBHOOKS_HOST_CONNECTIONS] = {"webhooks", "host_connections", SETTING_TYPE_NUMBER, "4", 1, 1000},
	[SETTING_WEBHOOKS_KEEP] = {"webhooks", "keep", SETTING_TYPE_NUMBER, "30", 0, 36500},
	[SETTING_RESEND_TIME_ZONE] = {"resend", "time_zone", SETTING_TYPE_TEXT, "UTC",
		.check = is_zone_form, .form = "a time zone such as UTC, Europe/Berlin or +02:00"},
	[SETTING_RESEND_LOGS] = {"resend", "logs", SETTING_TYPE_SWITCH, "no"},
	[SETTING_LOG_TO] = {"log", "to", SETTING_TYPE_TEXT, "stderr",
		.check = is_log_form, .form = "stderr, syslog or a path from the root (/...)"},
	[SETTING_LOG_FORMAT] = {"log", "format", SETTING_TYPE_CHOICE, "text",
		.choices = {[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json"}},
	[SETTING_LOG_LEVEL] = {"log", "level", SETTING_TYPE_CHOICE, "warning",
		.choices = {[LEVEL_ERROR] = "error", [LEVEL_WARNING] = "warning", [LEVEL_INFO] = "info"}},
	[SETTING_LOG_ADDRESSES] = {"log", "addresses", SETTING_TYPE_CHOICE, "hashed",
		.choices = {[ADDRESSES_WHOLE] = "whole", [ADDRESSES_HASHED] = "hashed",
			[ADDRESSES_NONE] = "none"}},
	[SETTING_LOG_SOCKET] = {"log", "socket", SETTING_TYPE_PATH, "/dev/log"},
	[SETTING_LOG_REQUESTS] = {"log", "requests", SETTING_TYPE_CHOICE, "refused",
		.choices = {[REQUESTS_NONE] = "none", [REQUESTS_REFUSED] = "refused",
			[REQUESTS_ALL] = "all"}},
	[SETTING_METRICS_BUCKETS] = {"metrics", "buckets", SETTING_TYPE_LIST,
		"0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 20",
		.check = is_seconds_form, .form = "a number of seconds above 0, such as 0.25",
		.rises = true},
	[SETTING_METRICS_LABELS] = {"metrics", "labels", SETTING_TYPE_NUMBER, "100", 1, 10000},
	[SETTING_PROVIDERS_SNS_HOSTS] = {"providers", "sns_hosts", SETTING_TYPE_LIST,
		.check = is_place_form, .form = "a host:port such as 192.0.2.1:8080 or sns.example:443"},
	[SETTING_DNS_SERVERS] = {"dns", "servers", SETTING_TYPE_LIST,
		.check = is_server_form,
		.form = "an address:port such as 192.0.2.1:53 or [2001:db8::1]:53"},
};
/* clang-format on */

G_STATIC_ASSERT(G_N_ELEMENTS(rows) == SETTING_COUNT);

const struct config_setting_row *
config_settings_describe(enum config_setting setting)
{
	g_assert(setting < SETTING_COUNT);
	return &rows[setting];
}
