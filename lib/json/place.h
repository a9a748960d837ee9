/* SPDX-License-Identifier: MIT */
/* Where in a document a value stands, kept on the stack and written out only for an error. */
#ifndef JSON_PLACE_H
#define JSON_PLACE_H

#include <glib.h>
#include <stdbool.h>

/* A member, or an element where name is NULL; parent is NULL for the root's members. */
struct json_place {
	const struct json_place *parent;
	const char *name;
	gsize index;
};

/* attachments[2].filename: the path, of whose names only the beginning is shown where they are
   long; an empty name is "". The caller owns it. */
char *json_place_path(const struct json_place *place);

/* INVALID with the path, on one line, and a text behind it. Returns false. */
bool json_place_fail(const struct json_place *place, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

#endif
