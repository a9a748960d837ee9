/* SPDX-License-Identifier: MIT */
/* Puts the text that mail programs show beside the subject, and the link to unsubscribe, into a
   broadcast. */
#include "fcgi/resend/preview.h"

#include <glib.h>
#include <string.h>

#include "broadcast/footer.h"

#define GIVEN_LINK "{{{RESEND_UNSUBSCRIBE_URL}}}"
#define STORED_LINK "{{{unsubscribe_url}}}"
/* The text stands between these, first in the body, and is not seen there. */
#define BEGIN                                                                                      \
	"<!--preview--><div style=\"display:none;max-height:0;max-width:0;overflow:hidden;"        \
	"opacity:0\">"
#define END "</div><!--/preview-->"

static char *
replace(const char *text, const char *what, const char *by)
{
	g_auto(GStrv) parts = text ? g_strsplit(text, what, -1) : NULL;

	return parts ? g_strjoinv(by, parts) : NULL;
}

char *
fcgi_resend_preview_text(const char *text, bool stored)
{
	g_autofree char *bare =
	    stored ? replace(text, GIVEN_LINK, STORED_LINK) : broadcast_footer_take(text);

	return stored ? broadcast_footer_text(bare) : replace(bare, STORED_LINK, GIVEN_LINK);
}

/* The place behind the tag of the body; the begin of the html when there is none. */
static gsize
find_body(const char *html)
{
	for (const char *p = html; (p = strchr(p, '<')); p++) {
		const char *end = strchr(p, '>');

		if (end && g_ascii_strncasecmp(p, "<body", 5) == 0 && strchr(" \t\r\n>", p[5]))
			return (gsize)(end + 1 - html);
	}
	return 0;
}

char *
fcgi_resend_preview_put(const char *html, const char *preview)
{
	g_autofree char *linked = replace(html, GIVEN_LINK, STORED_LINK);
	char *whole = broadcast_footer_html(linked);

	if (!whole || !preview || !*preview)
		return whole;
	g_autofree char *owned = whole;
	GString *stored = g_string_new(owned);
	g_autofree char *escaped = g_markup_escape_text(preview, -1);
	g_autofree char *part = g_strconcat(BEGIN, escaped, END, NULL);
	g_string_insert(stored, (gssize)find_body(stored->str), part);
	return g_string_free(stored, FALSE);
}

/* The text that g_markup_escape_text has escaped. */
static char *
unescape(const char *text)
{
	static const char *const entities[][2] = {
	    {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}};
	char *plain = g_strdup(text);

	for (gsize i = 0; i < G_N_ELEMENTS(entities); i++) {
		g_autofree char *before = plain;

		plain = replace(before, entities[i][0], entities[i][1]);
	}
	return plain;
}

char *
fcgi_resend_preview_take(const char *whole, char **preview_r)
{
	g_autofree char *stored = broadcast_footer_take(whole);
	const char *begin = stored ? strstr(stored, BEGIN) : NULL;
	const char *end = begin ? strstr(begin, END) : NULL;

	*preview_r = NULL;
	if (!end)
		return replace(stored, STORED_LINK, GIVEN_LINK);
	g_autofree char *escaped =
	    g_strndup(begin + strlen(BEGIN), (gsize)(end - begin) - strlen(BEGIN));
	g_autofree char *front = g_strndup(stored, (gsize)(begin - stored));
	g_autofree char *html = g_strconcat(front, end + strlen(END), NULL);
	*preview_r = unescape(escaped);
	return replace(html, STORED_LINK, GIVEN_LINK);
}
