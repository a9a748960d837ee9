/* SPDX-License-Identifier: MIT */
/* Where a redirect leads to. */
#include "fcgi/location.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

static void
append_encoded(GString *out, const char *text, gsize size)
{
	for (gsize i = 0; i < size; i++) {
		guchar c = (guchar)text[i];

		if (c <= ' ' || c >= 0x7f)
			g_string_append_printf(out, "%%%02X", c);
		else
			g_string_append_c(out, (char)c);
	}
}

/* user@host:port */
static void
append_authority(GString *out, const char *text, gsize size)
{
	g_autofree char *authority = g_strndup(text, size);
	char *at = strrchr(authority, '@');
	char *host = at ? at + 1 : authority;
	gsize length = strcspn(host, ":");
	g_autofree char *name = g_strndup(host, length);
	g_autofree char *ascii = g_hostname_is_non_ascii(name) ? g_hostname_to_ascii(name) : NULL;

	append_encoded(out, authority, (gsize)(host - authority));
	append_encoded(out, ascii ? ascii : name, strlen(ascii ? ascii : name));
	append_encoded(out, host + length, strlen(host + length));
}

char *
fcgi_location_of(const char *url)
{
	GString *out = g_string_new(NULL);
	const char *colon = strstr(url, "://");
	const char *authority = colon ? colon + 3 : url;
	gsize size = colon ? strcspn(authority, "/\\?#") : 0;

	append_encoded(out, url, (gsize)(authority - url));
	append_authority(out, authority, size);
	append_encoded(out, authority + size, strlen(authority + size));
	return g_string_free(out, FALSE);
}
