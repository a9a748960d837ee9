/* SPDX-License-Identifier: MIT */
/* Measures text for terminals, and keeps it on its line. */
#include "text/width.h"

guint
text_width(const char *text)
{
	guint columns = 0;

	for (; *text; text = g_utf8_next_char(text)) {
		gunichar c = g_utf8_get_char(text);

		if (!g_unichar_iszerowidth(c))
			columns += g_unichar_iswide(c) ? 2 : 1;
	}
	return columns;
}

char *
text_width_line(const char *text)
{
	GString *line = g_string_new(NULL);

	for (; *text; text = g_utf8_next_char(text)) {
		gunichar c = g_utf8_get_char(text);

		g_string_append_unichar(line, g_unichar_iscntrl(c) ? ' ' : c);
	}
	return g_string_free(line, FALSE);
}
