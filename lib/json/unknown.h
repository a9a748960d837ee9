/* SPDX-License-Identifier: MIT */
/* Members that nobody knows: those that are a known one misspelled are refused, others ignored. */
#ifndef JSON_UNKNOWN_H
#define JSON_UNKNOWN_H

#include <glib.h>
#include <stdbool.h>

#include "json/field.h"
#include "json/value.h"

struct json_place;

/* How unknown names are treated, and those that were met. */
struct json_unknown {
	const char *noun;  /* a refused name is not one: "a field of this request" */
	bool refuse;	   /* all of them, not only the misspelled ones */
	GPtrArray *faults; /* of char *; not NULL: the check goes on where it would fail, and the
			      first LIMIT_IGNORED_MEMBERS sentences are added to it */
	guint ignored;	   /* how many were let through */
	GString *list;	   /* the first LIMIT_IGNORED_MEMBERS of these, paths with commas between:
			      all bytes but letters, digits and "_.-[]" are %XX, and each is cut
			      at LIMIT_IGNORED_BYTES; then "..." where there are more. NULL: none.
			      The caller frees it */
};

/* Looks at the members of an object that stands at place (NULL: it is the root), and of the objects
   in fields that have a table of their own, in the order of the text. Fields that have none may
   hold anything. INVALID at the first that is refused:

	attachments[0].contentType is not a field of this request; did you mean content_type?
	colour is not a field of this request
 */
bool json_unknown_check(const struct json *object, const struct json_table *table,
    const struct json_place *place, struct json_unknown *unknown, GError **error);

/* The same of a single name, where known (NULL-terminated; NULL: none) are the known ones. */
bool json_unknown_check_name(
    const char *name, const char *const *known, struct json_unknown *unknown, GError **error);

#endif
