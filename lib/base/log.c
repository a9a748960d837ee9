/* SPDX-License-Identifier: MIT */
/* Writes log lines for the operator to standard error. */
#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

static const char *name = "posthouse";

void
base_log_name(const char *program)
{
	name = program;
}

static bool
is_visible(gunichar c)
{
	switch (g_unichar_type(c)) {
	case G_UNICODE_CONTROL:
	case G_UNICODE_FORMAT:
	case G_UNICODE_LINE_SEPARATOR:
	case G_UNICODE_PARAGRAPH_SEPARATOR:
		return false;
	default:
		return true;
	}
}

static void
append_escaped(GString *line, const char *text)
{
	while (*text) {
		gunichar c = g_utf8_get_char_validated(text, -1);

		if (c == (gunichar)-1 || c == (gunichar)-2) {
			g_string_append_printf(line, "\\x%02x", (guint8)*text++);
			continue;
		}
		if (is_visible(c))
			g_string_append_unichar(line, c);
		else
			g_string_append_printf(line, "\\u{%x}", c);
		text = g_utf8_next_char(text);
	}
}

char *
base_log_escape(const char *text)
{
	GString *escaped = g_string_new(NULL);

	append_escaped(escaped, text);
	return g_string_free(escaped, FALSE);
}

void
base_log(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	base_log_text(text);
}

void
base_log_text(const char *text)
{
	g_autoptr(GString) line = g_string_new(name);

	g_string_append(line, ": ");
	append_escaped(line, text);
	g_string_append_c(line, '\n');
	/* One write, so that lines of several processes do not mix. If it fails, there is no other
	   place to report that. */
	if (write(STDERR_FILENO, line->str, line->len) < 0)
		return;
}
