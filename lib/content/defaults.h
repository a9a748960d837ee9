/* SPDX-License-Identifier: MIT */
/* The defaults of defined properties, which templates show for values that are missing. */
#ifndef CONTENT_DEFAULTS_H
#define CONTENT_DEFAULTS_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct content_variables;
struct db;
struct json;

/* The defaults by key, an object. properties: the definitions, an array of struct store_property.
   The caller frees it. */
struct json *content_defaults_of(const GPtrArray *properties);

/* Those of a workspace. NULL with an error of db/statement.h. The caller frees it. */
struct json *content_defaults_read(struct db *db, const struct base_id *workspace, GError **error);

/* The search for values that a template lacks. Borrows all but defaults. */
struct content_defaults_search {
	struct db *db;
	const struct base_id *workspace;
	struct content_variables *variables;
	struct json **defaults; /* the workspace's, read when a value is first lacked; the caller
				   frees them after the variables */
};

/* Gives each variable that a template's part uses, and that has no value, the default of the
   property with its name. part may be NULL. */
bool content_defaults_add(
    const struct content_defaults_search *search, GBytes *part, GError **error);

#endif
