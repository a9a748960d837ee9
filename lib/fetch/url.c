/* SPDX-License-Identifier: MIT */
/* Reads URLs with curl's own parser, so that the checked URL is the requested one. */
#include "fetch/url.h"

#include <stdbool.h>
#include <string.h>

#include "base/limits/email.h"
#include "fetch/curl.h"
#include "text/hostname.h"

#define SHOWN_LENGTH 100
#define URL_FLAGS (CURLU_DISALLOW_USER | CURLU_URLENCODE)
/* A newer curl encodes the spaces of a redirect only if it is asked to. */
#ifdef CURLU_ALLOW_SPACE
#define LOCATION_FLAGS (URL_FLAGS | CURLU_ALLOW_SPACE)
#else
#define LOCATION_FLAGS URL_FLAGS
#endif

static void
free_url(CURLU *url)
{
	fetch_curl()->url_cleanup(url);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CURLU, free_url)

static char *
url_part(CURLU *url, CURLUPart which, unsigned int flags)
{
	char *text = NULL, *copy;

	if (fetch_curl()->url_get(url, which, &text, flags) != CURLUE_OK)
		return NULL;
	copy = g_strdup(text);
	fetch_curl()->free(text);
	return copy;
}

static bool
is_one_word(const char *text)
{
	if (!g_utf8_validate(text, -1, NULL) || g_utf8_strlen(text, -1) > LIMIT_URL_LENGTH)
		return false;
	for (; *text; text = g_utf8_next_char(text)) {
		gunichar c = g_utf8_get_char(text);
		if (g_unichar_iscntrl(c) || g_unichar_isspace(c))
			return false;
	}
	return true;
}

/* Converts the host to A-labels. curl would use the locale for that, which a server does not set.
 */
static bool
make_host_ascii(CURLU *url)
{
	g_autofree char *host = url_part(url, CURLUPART_HOST, 0);
	g_autofree char *ascii = NULL;

	if (!host || !*host)
		return false;
	if (g_str_is_ascii(host))
		return true;
	ascii = text_hostname_host(host);
	return ascii && fetch_curl()->url_set(url, CURLUPART_HOST, ascii, 0) == CURLUE_OK;
}

static char *
url_finish(CURLU *url)
{
	g_autofree char *scheme = url_part(url, CURLUPART_SCHEME, 0);
	g_autofree char *text = NULL;

	if (!scheme || (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0))
		return NULL;
	if (!make_host_ascii(url) ||
	    fetch_curl()->url_set(url, CURLUPART_FRAGMENT, NULL, 0) != CURLUE_OK)
		return NULL;
	text = url_part(url, CURLUPART_URL, 0);
	if (!text || !is_one_word(text))
		return NULL;
	return g_steal_pointer(&text);
}

/* Whether // and a host follow the scheme. curl also accepts http:host and http:///host, which
   other programs read differently. */
static bool
has_authority(const char *url)
{
	const char *colon = strchr(url, ':');

	return colon && colon[1] == '/' && colon[2] == '/' && !strchr("/?#\\", colon[3]);
}

char *
fetch_url_parse(const char *url)
{
	g_autoptr(CURLU) parsed = fetch_curl()->url();

	if (!is_one_word(url) || !has_authority(url) ||
	    fetch_curl()->url_set(parsed, CURLUPART_URL, url, URL_FLAGS) != CURLUE_OK)
		return NULL;
	return url_finish(parsed);
}

/* curl refuses control characters or encodes them, as its version decides. */
static bool
url_has_control(const char *text)
{
	while (*text && !g_ascii_iscntrl(*text))
		text++;
	return *text != '\0';
}

char *
fetch_url_resolve(const char *base, const char *location)
{
	g_autoptr(CURLU) url = fetch_curl()->url();

	if (url_has_control(location) ||
	    fetch_curl()->url_set(url, CURLUPART_URL, base, 0) != CURLUE_OK ||
	    fetch_curl()->url_set(url, CURLUPART_URL, location, LOCATION_FLAGS) != CURLUE_OK)
		return NULL;
	return url_finish(url);
}

char *
fetch_url_host(const char *url, guint *port_r)
{
	g_autoptr(CURLU) parsed = fetch_curl()->url();

	fetch_curl()->url_set(parsed, CURLUPART_URL, url, 0);
	g_autofree char *port = url_part(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT);
	char *host = url_part(parsed, CURLUPART_HOST, CURLU_URLDECODE);
	*port_r = port ? (guint)g_ascii_strtoull(port, NULL, 10) : 0;
	if (host && *host == '[') {
		gsize size = strcspn(host + 1, "%]");

		memmove(host, host + 1, size);
		host[size] = '\0';
	}
	return host ? host : g_strdup("");
}

char *
fetch_url_show(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	GString *shown = g_string_new(NULL);
	glong length = 0;

	for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);
		if (++length > SHOWN_LENGTH) {
			g_string_append(shown, "...");
			break;
		}
		g_string_append_unichar(shown, g_unichar_isprint(c) ? c : '?');
	}
	return g_string_free(shown, FALSE);
}
