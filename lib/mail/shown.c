/* SPDX-License-Identifier: MIT */
/* Writes the urls of links for readers of plain text. */
#include "mail/shown.h"

#include <glib.h>
#include <string.h>

#include "base/limits.h"

#define SPACES " \t\n\r\f"

/* The scheme that the href begins with, of a list that NULL ends; NULL: none of them. */
static const char *
find_scheme(const char *href, const char *const *schemes)
{
	for (; *schemes; schemes++)
		if (g_ascii_strncasecmp(href, *schemes, strlen(*schemes)) == 0)
			return *schemes;
	return NULL;
}

char *
mail_shown_url(const char *href)
{
	static const char *const unsaid[] = {
	    "#", "javascript:", "vbscript:", "data:", "cid:", "about:", NULL};
	static const char *const left_out[] = {"mailto:", "tel:", "sms:", NULL};
	GString *url = g_string_new(NULL);

	href += strspn(href, SPACES);
	const char *scheme = find_scheme(href, left_out);
	gsize size = strlen(href);
	if (scheme) {
		href += strlen(scheme);
		size = strcspn(href, "?");
	}
	while (size > 0 && strchr(SPACES, href[size - 1]))
		size--;
	if (size > LIMIT_SHOWN_LINK_BYTES)
		size = 0;
	for (gsize i = 0; i < size; i++) {
		if (href[i] == ' ')
			g_string_append(url, "%20");
		else if (!g_ascii_iscntrl(href[i]))
			g_string_append_c(url, href[i]);
	}
	bool said = url->len > 0 && !find_scheme(url->str, unsaid);
	return g_string_free(url, !said);
}

bool
mail_shown_says(const char *text, const char *url)
{
	if (g_ascii_strcasecmp(text, url) == 0)
		return true;
	const char *host = strstr(url, "://");
	if (!host)
		return false;
	host += 3;
	gsize size = strlen(host);
	if (size > 0 && host[size - 1] == '/')
		size--;
	if (g_ascii_strncasecmp(text, url, host - url) == 0)
		text += host - url;
	return g_ascii_strncasecmp(text, host, size) == 0 &&
	       (text[size] == '\0' || strcmp(text + size, "/") == 0);
}
