/* SPDX-License-Identifier: MIT */
/* Writes sentences for the operator to the log, or to standard error while it is not open. */
#include "config/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <unistd.h>

#include "config/log_line.h"

#define TEXT_BYTES (16 * 1024)

static const char *name = "posthouse";

void
config_log_name(const char *program)
{
	name = program;
}

static void
log_append_escaped(GString *line, const char *text)
{
	while (*text) {
		gunichar c = g_utf8_get_char_validated(text, -1);

		if (c == (gunichar)-1 || c == (gunichar)-2) {
			g_string_append_printf(line, "\\x%02x", (guint8)*text++);
			continue;
		}
		if (config_log_line_is_visible(c))
			g_string_append_unichar(line, c);
		else
			g_string_append_printf(line, "\\u{%x}", c);
		text = g_utf8_next_char(text);
	}
}

char *
config_log_escape(const char *text)
{
	GString *escaped = g_string_new(NULL);

	log_append_escaped(escaped, text);
	return g_string_free(escaped, FALSE);
}

void
config_log(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	config_log_text(text);
}

static void
write_plain(const char *text)
{
	g_autoptr(GString) line = g_string_new(name);

	g_string_append(line, ": ");
	log_append_escaped(line, text);
	g_string_append_c(line, '\n');
	/* One write, so that lines of several processes do not mix. If it fails, there is no other
	   place to report that. */
	if (write(STDERR_FILENO, line->str, line->len) < 0)
		return;
}

void
config_log_text(const char *text)
{
	struct config_log_line line;

	if (!config_log_line_is_open()) {
		write_plain(text);
		return;
	}
	if (!config_log_line_begin(&line, LEVEL_ERROR, "message"))
		return;
	config_log_line_masked(&line, "text", text, TEXT_BYTES);
	config_log_line_end(&line);
}

void
config_log_end(const char *text)
{
	config_log_text(text);
	if (config_log_line_is_elsewhere())
		write_plain(text);
}
