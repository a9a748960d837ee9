/* SPDX-License-Identifier: MIT */
/* The forms that texts and list entries of the settings file can have. */
#include "base/settings_check.h"

#include <arpa/inet.h>
#include <glib.h>
#include <string.h>

#include "base/hostname.h"
#include "base/limits.h"

static bool
is_address(int family, const char *text)
{
	guint8 address[sizeof(struct in6_addr)];

	return inet_pton(family, text, address) == 1;
}

static bool
is_number(const char *text, guint64 min, guint64 max)
{
	return g_ascii_string_to_unsigned(text, 10, min, max, NULL, NULL);
}

bool
base_settings_check_name(char *entry)
{
	return base_hostname_is_host(entry);
}

bool
base_settings_check_mailbox(char *entry)
{
	const char *at = strchr(entry, '@');
	gsize local = strspn(
	    entry, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!#$%&*+-/=?^_~");

	return at && local == (gsize)(at - entry) && local > 0 && local <= LIMIT_LOCAL_PART_BYTES &&
	       entry[0] != '.' && at[-1] != '.' && !strstr(entry, "..") && strchr(at, '.') &&
	       strlen(entry) <= LIMIT_ADDRESS_BYTES && base_hostname_is_host(at + 1);
}

bool
base_settings_check_port(char *entry)
{
	return is_number(entry, 1, G_MAXUINT16);
}

bool
base_settings_check_limit(char *entry)
{
	return is_number(entry, 0, 1000);
}

bool
base_settings_check_helo(char *entry)
{
	size_t size = strlen(entry);

	if (entry[0] != '[' || entry[size - 1] != ']')
		return base_hostname_is_host(entry);
	g_autofree char *address = g_strndup(entry + 1, size - 2);
	if (g_str_has_prefix(address, "IPv6:"))
		return is_address(AF_INET6, address + strlen("IPv6:"));
	return is_address(AF_INET, address);
}

bool
base_settings_check_relay(char *entry)
{
	char *colon = strchr(entry, ':');
	g_autofree char *host = g_strndup(entry, colon ? (gsize)(colon - entry) : strlen(entry));

	if (colon && !is_number(colon + 1, 1, G_MAXUINT16))
		return false;
	return is_address(AF_INET, host) || base_hostname_is_host(host);
}

bool
base_settings_check_url(char *entry)
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
	return is_address(family, address) && is_number(slash + 1, 0, bits);
}

/* An address of one of the two families, or a network of them. */
static bool
is_range(int family, const char *text)
{
	return is_address(family, text) || is_network(family, text, family == AF_INET ? 32 : 128);
}

bool
base_settings_check_spf(char *entry)
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

bool
base_settings_check_network(char *entry)
{
	return is_network(AF_INET, entry, 32) || is_network(AF_INET6, entry, 128);
}

bool
base_settings_check_server(char *entry)
{
	const char *colon = strrchr(entry, ':');

	if (!colon || colon == entry || !is_number(colon + 1, 1, G_MAXUINT16))
		return false;
	if (entry[0] != '[' || colon[-1] != ']') {
		g_autofree char *address = g_strndup(entry, (gsize)(colon - entry));
		return is_address(AF_INET, address);
	}
	g_autofree char *address = g_strndup(entry + 1, (gsize)(colon - entry) - 2);
	return is_address(AF_INET6, address);
}
