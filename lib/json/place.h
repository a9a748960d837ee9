/* SPDX-License-Identifier: MIT */
/* The place of a value in a document. It is kept on the stack, and formatted only for an error. */
#ifndef JSON_PLACE_H
#define JSON_PLACE_H

#include <glib.h>
#include <stdbool.h>

/* The place of a member, or of an element if name is NULL. parent is NULL for members of the root.
 */
struct json_place {
	const struct json_place *parent;
	const char *name;
	gsize index;
};

/* The path as text: attachments[2].filename. Long names are cut; an empty name is "". The caller
   owns it. */
char *json_place_path(const struct json_place *place);

/* Sets INVALID with the path on one line, a space and the formatted text. Returns false. */
bool json_place_fail(const struct json_place *place, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

#endif
