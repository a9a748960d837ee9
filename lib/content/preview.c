/* SPDX-License-Identifier: MIT */
/* Puts the text that mail programs show beside the subject into html, and takes it out again. */
#include "content/preview.h"

#include <string.h>

/* The text stands between these, first in the body, and is not seen there. */
#define BEGIN                                                                                      \
	"<!--preview--><div style=\"display:none;max-height:0;max-width:0;overflow:hidden;"        \
	"opacity:0\">"
#define END "</div><!--/preview-->"

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

/* Escapes the text, but not what stands in {{ }}. The caller owns it. */
static char *
preview_escape(const char *text)
{
	GString *escaped = g_string_new(NULL);

	while (*text) {
		const char *begin = strstr(text, "{{"), *end = begin ? strstr(begin, "}}") : NULL;
		gsize plain = end ? (gsize)(begin - text) : strlen(text);
		g_autofree char *part = g_markup_escape_text(text, (gssize)plain);

		g_string_append(escaped, part);
		text += plain;
		if (!end)
			break;
		g_string_append_len(escaped, begin, end + 2 - begin);
		text = end + 2;
	}
	return g_string_free(escaped, FALSE);
}

char *
content_preview_put(const char *html, gsize size, const char *text, gsize *size_r)
{
	GString *whole = g_string_new_len(html, (gssize)size);

	if (text && *text) {
		g_autofree char *escaped = preview_escape(text);
		g_autofree char *part = g_strconcat(BEGIN, escaped, END, NULL);

		g_string_insert(whole, (gssize)find_body(whole->str), part);
	}
	*size_r = whole->len;
	return g_string_free(whole, FALSE);
}

/* The text that g_markup_escape_text has escaped. */
static char *
unescape(const char *text)
{
	static const char *const entities[][2] = {
	    {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}};
	GString *plain = g_string_new(text);

	for (gsize i = 0; i < G_N_ELEMENTS(entities); i++)
		g_string_replace(plain, entities[i][0], entities[i][1], 0);
	return g_string_free(plain, FALSE);
}

char *
content_preview_take(const char *html, char **text_r)
{
	const char *begin = strstr(html, BEGIN);
	const char *end = begin ? strstr(begin, END) : NULL;

	*text_r = NULL;
	if (!end)
		return g_strdup(html);
	g_autofree char *escaped =
	    g_strndup(begin + strlen(BEGIN), (gsize)(end - begin) - strlen(BEGIN));
	g_autofree char *front = g_strndup(html, (gsize)(begin - html));

	*text_r = unescape(escaped);
	return g_strconcat(front, end + strlen(END), NULL);
}
