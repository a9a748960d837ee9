/* SPDX-License-Identifier: MIT */
#ifndef CORE_EXTRAS_H
#define CORE_EXTRAS_H

#include <glib.h>
#include <stdbool.h>

struct json;

/* The "headers" and "tags" of a submission, checked, as the JSON text to store; *text_r is NULL
   where there are none. INVALID, naming the entry. The caller owns the text. */
bool core_extras_headers(const struct json *given, char **text_r, GError **error);
bool core_extras_tags(const struct json *given, char **text_r, GError **error);

/* Stored headers as an array of struct mail_header; free with g_array_unref before the document
 * that *document_r takes. */
GArray *core_extras_read_headers(const char *text, struct json **document_r, GError **error);

#endif
