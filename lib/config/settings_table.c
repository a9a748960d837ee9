/* SPDX-License-Identifier: MIT */
/* The table of settings with their defaults and ranges, and the checks of their forms. */
#include "config/settings_table.h"

#include <arpa/inet.h>
#include <glib.h>
#include <string.h>

#include "base/limits/domain.h"
#include "base/limits/email.h"
#include "base/limits/process.h"
#include "base/limits/request.h"
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

/* The same, or an address alone. */
static bool
is_address_or_network_form(char *entry)
{
	return is_range(AF_INET, entry) || is_range(AF_INET6, entry);
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

/* A score of a spam filter, up to three decimals. */
static bool
is_score_form(char *entry)
{
	const char *number = entry + (*entry == '-');
	size_t whole = strspn(number, "0123456789");
	const char *rest = number + whole;
	size_t part = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;

	return whole >= 1 && whole <= 6 && part <= 3 && (*rest == '.') == (part > 0) &&
	       !rest[part ? part + 1 : 0];
}

/* HOST:PORT: a host name or an address, an IPv6 address in brackets. */
static bool
is_place_form(char *entry)
{
	return is_server_form(entry) || (strchr(entry, ':') && is_relay_form(entry));
}

static const struct config_setting_row rows[] = {
#define SETTING(name, ...) [name] = {__VA_ARGS__},
#include "config/settings.def"
};

G_STATIC_ASSERT(G_N_ELEMENTS(rows) == SETTING_COUNT);

const struct config_setting_row *
config_settings_describe(enum config_setting setting)
{
	g_assert(setting < SETTING_COUNT);
	return &rows[setting];
}
