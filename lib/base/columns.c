/* SPDX-License-Identifier: MIT */
/* Measures text for terminals. */
#include "base/columns.h"

guint
base_columns(const char *text)
{
	guint columns = 0;

	for (; *text; text = g_utf8_next_char(text)) {
		gunichar c = g_utf8_get_char(text);

		if (!g_unichar_iszerowidth(c))
			columns += g_unichar_iswide(c) ? 2 : 1;
	}
	return columns;
}
