/* SPDX-License-Identifier: MIT */
/* Unknown members of a document: misspellings of known names are refused, others are ignored. */
#ifndef JSON_UNKNOWN_H
#define JSON_UNKNOWN_H

#include <glib.h>
#include <stdbool.h>

#include "json/fields.h"
#include "json/value.h"

#define ALIKE_SIZE 64 /* known names are shorter by at least two letters */

/* A name prepared for comparison: lower case, without '_' and '-', one byte for each character, and
   at most ALIKE_SIZE - 1 characters. */
struct json_folded {
	char text[ALIKE_SIZE];
};

/* Prepares a name, which must be valid UTF-8. */
void json_alike_fold(const char *given, struct json_folded *folded_r);

/* The similarity of a name to a known one. */
enum json_alike {
	ALIKE_NOT,
	ALIKE_LETTER, /* one letter is added, missing or changed, and the known name has at least
			 four letters; case, '_' and '-' are ignored */
	ALIKE_SAME,   /* equal if case, '_' and '-' are ignored */
};

/* Compares a prepared name with a known one, which is ASCII in lower case. */
enum json_alike json_alike(const struct json_folded *given, const char *known);

struct json_place;

/* The treatment of unknown names, and its result. */
struct json_unknown {
	const char *noun;  /* for the error message: "a field of this request" */
	bool refuse;	   /* refuse all unknown names, not only misspelled ones */
	bool list_only;	   /* list the names that resemble no known one, unless refuse is set, and
			      refuse nothing */
	GPtrArray *faults; /* of char *. If it is not NULL, the check continues after an error and
			      adds the first LIMIT_IGNORED_MEMBERS messages here */
	guint ignored;	   /* result: the number of ignored members */
	GString *list;	   /* result: the paths of the first LIMIT_IGNORED_MEMBERS ignored members,
			      separated by commas, and "..." if there are more. Bytes other than
			      letters, digits and "_.-[]" are written as %XX; a path is cut at
			      LIMIT_IGNORED_BYTES. NULL if there are none. The caller frees it */
};

/* Checks the members of the object at place (NULL: the root) and of the objects in fields with a
   table of their own, in the order of the text. Fields without a table may contain anything. In an
   array of documents nothing is refused, as their reader checks each of them alone.
   INVALID for the first refused member:

	attachments[0].contentType is not a field of this request; did you mean content_type?
	colour is not a field of this request
 */
bool json_unknown_check(const struct json *object, const struct json_table *table,
    const struct json_place *place, struct json_unknown *unknown, GError **error);

/* Adds the member at place to the ignored ones. */
void json_unknown_ignore(struct json_unknown *unknown, const struct json_place *place);

/* Checks a single name against known, a NULL-terminated list or NULL. */
bool json_unknown_check_name(
    const char *name, const char *const *known, struct json_unknown *unknown, GError **error);

#endif
