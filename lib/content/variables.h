/* SPDX-License-Identifier: MIT */
/* The values that a template is filled with, by name. */
#ifndef CONTENT_VARIABLES_H
#define CONTENT_VARIABLES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct json;
struct template_values;

/* The values that a template is filled with: name → a JSON value. Borrows from the documents that
   are added. */
struct content_variables;

/* Variables of which none has a value. The caller frees them. */
struct content_variables *content_variables_new(void);
void content_variables_free(struct content_variables *variables);
DEFINE_AUTO(content_variables, content_variables_free)

/* Adds the "variables" of a request: each is a string, a number, a boolean, null, an array, an
   object, or an object with value and default alone, which are strings, numbers or null; or the
   object has just the two keys values and default_values of older clients. A variable that is there
   keeps its value when the request gives neither a value nor a default. A number has at most
   LIMIT_VARIABLE_NUMBER_LENGTH characters, in arrays and objects too. INVALID, naming the
   variable. given may be NULL, and is borrowed. */
bool content_variables_add(
    struct content_variables *variables, const struct json *given, GError **error);

/* Checks the numbers of variables, an object, as content_variables_add does. */
bool content_variables_check(const struct json *given, GError **error);

/* Whether a variable has a value. */
bool content_variables_has(const struct content_variables *variables, const char *name);

/* A value that is found: a JSON value, or a text; neither: none. */
struct content_variables_found {
	const struct json *value;
	const char *text;
	bool is_default; /* only for a variable that has no value */
};

/* Sets each variable that source refers to, to the value that resolve finds for it, which is
   borrowed. INVALID, naming the variable, for a number that is too long. */
bool content_variables_resolve(struct content_variables *variables, const char *source, gsize size,
    struct content_variables_found (*resolve)(const char *name, void *context), void *context,
    GError **error);

/* Print and parse the stored form, a JSON object: its values are strings, numbers, booleans,
   arrays, and objects with the one member value. FAILED when it is damaged. The caller owns the
   results. */
char *content_variables_print(const struct content_variables *variables);
struct content_variables *content_variables_parse(const char *text, GError **error);

/* The length of the longest value, or value in it, in bytes. */
gsize content_variables_longest(const struct content_variables *variables);

/* The values for a template, whose variables they are. unsubscribe_url: the value of the variable
   of this name if there is none; NULL: none. */
struct content_variables_values {
	const struct content_variables *variables;
	const char *unsubscribe_url;
};
struct template_values content_variables_values(struct content_variables_values *values);

/* The text of a variable, or NULL. */
const char *content_variables_text(const struct content_variables *variables, const char *name);

#endif
