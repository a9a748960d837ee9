/* SPDX-License-Identifier: MIT */
/* Checks domain names, converts international ones to ASCII, and finds their registrable part. */
#include "text/hostname.h"

#include <idn2.h>
#include <libpsl.h>
#include <string.h>

#include "base/limits/domain.h"

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
hostname_is_number(const char *label)
{
	if (label[0] == '0' && (label[1] | 0x20) == 'x')
		return !label[2 + strspn(label + 2, "0123456789abcdefABCDEF")];
	return !label[strspn(label, "0123456789")];
}

static bool
has_labels(const char *name)
{
	if (!*name || strlen(name) > LIMIT_DOMAIN_LENGTH)
		return false;

	g_auto(GStrv) labels = g_strsplit(name, ".", -1);
	for (char **label = labels; *label; label++)
		if (!is_label(*label))
			return false;
	return true;
}

bool
text_hostname_is_host(const char *name)
{
	const char *dot = strrchr(name, '.');

	return has_labels(name) && !hostname_is_number(dot ? dot + 1 : name);
}

/* Whether each label of a name in Unicode follows the rules for characters that need a context,
   such as joiners and middle dots (RFC 5892 appendix A). A look-up checks the joiners alone. */
static bool
follows_context_rules(const char *unicode)
{
	g_auto(GStrv) labels = g_strsplit(unicode, ".", -1);

	for (char **label = labels; *label; label++) {
		uint8_t *ignored = NULL;

		if (!g_str_is_ascii(*label) &&
		    idn2_register_u8((const uint8_t *)*label, NULL, &ignored, 0) != IDN2_OK)
			return false;
		idn2_free(ignored);
	}
	return true;
}

/* Not with IDN2_USE_STD3_ASCII_RULES: with it, some versions drop a character that they refuse. */
static char *
to_ascii(const char *name)
{
	char *unicode = NULL;
	uint8_t *ascii = NULL;

	if (idn2_lookup_u8((const uint8_t *)name, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) !=
	    IDN2_OK)
		return NULL;
	bool is_valid =
	    idn2_to_unicode_8z8z((const char *)ascii, &unicode, IDN2_NONTRANSITIONAL) == IDN2_OK &&
	    follows_context_rules(unicode);
	char *copy = is_valid ? g_ascii_strdown((const char *)ascii, -1) : NULL;
	idn2_free(unicode);
	idn2_free(ascii);
	return copy;
}

static bool
has_a_label(const char *name)
{
	for (const char *label = name; label; label = strchr(label, '.')) {
		label += *label == '.';
		if (g_ascii_strncasecmp(label, "xn--", 4) == 0)
			return true;
	}
	return false;
}

char *
text_hostname_host(const char *name)
{
	/* A name this long cannot fit; refuse it before the expensive conversion. */
	if (strlen(name) > 4 * LIMIT_DOMAIN_LENGTH || !g_utf8_validate(name, -1, NULL))
		return NULL;
	/* Names such as r3---sn.example.com are in use, and no part of IDNA. */
	g_autofree char *ascii =
	    g_str_is_ascii(name) && !has_a_label(name) ? g_ascii_strdown(name, -1) : to_ascii(name);
	if (!ascii)
		return NULL;
	if (g_str_has_suffix(ascii, "."))
		ascii[strlen(ascii) - 1] = '\0';
	return has_labels(ascii) ? g_steal_pointer(&ascii) : NULL;
}

char *
text_hostname_ascii(const char *name)
{
	g_autofree char *ascii = text_hostname_host(name);

	return ascii && text_hostname_is_host(ascii) && strchr(ascii, '.') && !strchr(ascii, '_')
		   ? g_steal_pointer(&ascii)
		   : NULL;
}

const char *
text_hostname_registrable(const char *name)
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
text_hostname_origin(const char *url, bool plain)
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
