/* SPDX-License-Identifier: MIT */
/* Checks domain names, converts international ones to ASCII, and finds their registrable part. */
#include "base/hostname.h"

#include <libpsl.h>
#include <string.h>

#include "base/limits.h"

static bool
is_label(const char *label)
{
	size_t size = strlen(label);

	if (!size || size > LIMIT_LABEL_LENGTH || label[0] == '-' || label[size - 1] == '-')
		return false;
	for (; *label; label++)
		if (!g_ascii_isalnum(*label) && *label != '-' && *label != '_')
			return false;
	return true;
}

/* Whether inet_aton() reads the label as a number. Some programs take a name that ends in such a
   label for an IPv4 address. */
static bool
is_number(const char *label)
{
	if (label[0] == '0' && (label[1] | 0x20) == 'x')
		return !label[2 + strspn(label + 2, "0123456789abcdefABCDEF")];
	return !label[strspn(label, "0123456789")];
}

bool
base_hostname_is_host(const char *name)
{
	if (!*name || strlen(name) > LIMIT_DOMAIN_LENGTH)
		return false;

	g_auto(GStrv) labels = g_strsplit(name, ".", -1);
	guint count = g_strv_length(labels);
	for (guint i = 0; i < count; i++)
		if (!is_label(labels[i]))
			return false;
	return !is_number(labels[count - 1]);
}

/* Whether encoding the name's Unicode form gives the name again. GLib does not check ASCII input,
   and decodes A-labels that are no encoding of anything ("xn--abc-"). */
static bool
is_canonical(const char *ascii)
{
	g_autofree char *unicode = g_hostname_to_unicode(ascii);
	g_autofree char *back = unicode ? g_hostname_to_ascii(unicode) : NULL;

	if (!back || strcmp(back, ascii))
		return false;
	for (const char *c = unicode; *c; c = g_utf8_next_char(c))
		if (!g_unichar_isgraph(g_utf8_get_char(c)))
			return false;
	return true;
}

char *
base_hostname_ascii(const char *name)
{
	/* A name this long cannot fit; refuse it before the expensive conversion. */
	if (strlen(name) > 4 * LIMIT_DOMAIN_LENGTH || !g_utf8_validate(name, -1, NULL))
		return NULL;

	g_autofree char *ascii = g_hostname_to_ascii(name);
	if (!ascii)
		return NULL;
	if (g_str_has_suffix(ascii, "."))
		ascii[strlen(ascii) - 1] = '\0';
	if (!base_hostname_is_host(ascii) || !strchr(ascii, '.') || strchr(ascii, '_') ||
	    !is_canonical(ascii))
		return NULL;
	return g_steal_pointer(&ascii);
}

const char *
base_hostname_registrable(const char *name)
{
	return psl_registrable_domain(psl_builtin(), name);
}

/* A host of a policy: labels of letters, digits and inner hyphens. */
static bool
is_plain_host(const char *host)
{
	g_auto(GStrv) labels = g_strsplit(host, ".", -1);

	for (guint i = 0; labels[i]; i++)
		if (!is_label(labels[i]) || strchr(labels[i], '_'))
			return false;
	return labels[0];
}

char *
base_hostname_origin(const char *url, bool plain)
{
	g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_ENCODED, NULL);
	const char *host = uri ? g_uri_get_host(uri) : NULL;
	const char *scheme = uri ? g_uri_get_scheme(uri) : "";
	bool known = strcmp(scheme, "https") == 0 || (plain && strcmp(scheme, "http") == 0);

	if (!host || !known || g_uri_get_userinfo(uri))
		return NULL;
	g_autofree char *decoded = g_uri_unescape_string(host, NULL);
	g_autofree char *ascii = decoded ? g_hostname_to_ascii(decoded) : NULL;
	if (!ascii || !is_plain_host(ascii) || g_uri_get_port(uri) == 0)
		return NULL;
	return g_uri_get_port(uri) > 0
		   ? g_strdup_printf("%s://%s:%d", scheme, ascii, g_uri_get_port(uri))
		   : g_strdup_printf("%s://%s", scheme, ascii);
}
