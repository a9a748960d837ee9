/* SPDX-License-Identifier: MIT */
/* Formats counts, and wraps and cuts text for a terminal. */
#include "cli/text.h"

#include <string.h>

#include "text/width.h"

char *
cli_count(guint64 count, const char *one, const char *many)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " %s", count, count == 1 ? one : many);
}

#define CUT "..."

gsize
cli_wrap_column(const GString *text)
{
	const char *end = strrchr(text->str, '\n');

	return (gsize)g_utf8_strlen(end ? end + 1 : text->str, -1);
}

void
cli_wrap_word(GString *text, gsize indent, const char *word)
{
	gsize at = cli_wrap_column(text);

	if (at > indent && at + 1 + (gsize)g_utf8_strlen(word, -1) > WRAP_COLUMNS) {
		g_string_append_c(text, '\n');
		at = 0;
	}
	g_string_append_printf(
	    text, "%*s%s", at < indent ? (int)(indent - at) : at > indent, "", word);
}

void
cli_wrap_words(GString *text, gsize indent, const char *words)
{
	g_auto(GStrv) each = g_strsplit(words, " ", -1);

	for (char **word = each; *word; word++)
		cli_wrap_word(text, indent, *word);
	g_string_append_c(text, '\n');
}

char *
cli_wrap_cut(const char *text, guint columns)
{
	if (text_width(text) <= columns)
		return g_strdup(text);
	g_autofree char *cut = g_strdup(text);
	while (text_width(cut) + strlen(CUT) > columns)
		*g_utf8_prev_char(cut + strlen(cut)) = '\0';
	return g_strconcat(cut, CUT, NULL);
}
