/* SPDX-License-Identifier: MIT */
/* Reading the few headers that decide what becomes of an answer. */
#include "fetch/headers.h"

#include <string.h>

static void
note_coding(struct fetch_headers *headers, const char *value, const char *harmless)
{
	if (*value && !headers->coding && g_ascii_strcasecmp(value, harmless) != 0)
		headers->coding = g_strdup(value);
}

void
fetch_headers_note(struct fetch_headers *headers, const char *line, gsize size)
{
	g_autofree char *name = g_strndup(line, size);
	char *value = strchr(name, ':');

	if (!value)
		return;
	*value++ = '\0';
	g_strstrip(value);
	if (g_ascii_strcasecmp(name, "Location") == 0) {
		g_free(headers->location);
		headers->location = g_strdup(value);
	} else if (g_ascii_strcasecmp(name, "Content-Encoding") == 0) {
		note_coding(headers, value, "identity");
	} else if (g_ascii_strcasecmp(name, "Transfer-Encoding") == 0) {
		note_coding(headers, value, "chunked");
	} else if (g_ascii_strcasecmp(name, "Content-Length") == 0) {
		headers->length = g_ascii_strtoull(value, NULL, 10);
	}
}

void
fetch_headers_clear(struct fetch_headers *headers)
{
	g_free(headers->location);
	g_free(headers->coding);
	*headers = (struct fetch_headers){0};
}
