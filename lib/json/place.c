/* SPDX-License-Identifier: MIT */
/* Formats the place of a value for error messages. */
#include "json/place.h"

#include "base/error.h"
#include "text/width.h"

#define SHOWN_LENGTH 100 /* characters of a name, which comes from the input */

static void
place_append(GString *path, const struct json_place *place)
{
	if (place->parent)
		place_append(path, place->parent);
	if (!place->name) {
		g_string_append_printf(path, "[%" G_GSIZE_FORMAT "]", place->index);
		return;
	}
	if (path->len > 0)
		g_string_append_c(path, '.');
	g_autofree char *shown = g_utf8_strlen(place->name, -1) > SHOWN_LENGTH
				     ? g_utf8_substring(place->name, 0, SHOWN_LENGTH)
				     : g_strdup(place->name);
	g_string_append(path, *shown ? shown : "\"\"");
}

char *
json_place_path(const struct json_place *place)
{
	GString *path = g_string_new(NULL);

	place_append(path, place);
	return g_string_free(path, false);
}

bool
json_place_fail(const struct json_place *place, GError **error, const char *format, ...)
{
	g_autofree char *path = json_place_path(place);
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	g_autofree char *line = text_width_line(path);
	return base_invalid(error, "%s %s", line, text);
}
