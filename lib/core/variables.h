/* SPDX-License-Identifier: MIT */
#ifndef CORE_VARIABLES_H
#define CORE_VARIABLES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct json;

/* The values that references in a template are replaced by: name → text. */
struct core_variables;

struct core_variables *core_variables_new(void);
void core_variables_free(struct core_variables *variables);
DEFINE_AUTO(core_variables, core_variables_free)

/* Adds the "variables" of a request: each is a string, a number, null, or an object with value and
   default; or the object has just the two keys values and default_values of older clients. A
   variable that is there keeps its value when the request gives neither a value nor a default.
   INVALID, naming the variable. given may be NULL. */
bool core_variables_add(struct core_variables *variables, const struct json *given, GError **error);

/* Sets each variable that source refers to, to the value that resolve gives for it; NULL: none. */
void core_variables_resolve(struct core_variables *variables, const char *source, gsize size,
    const char *(*resolve)(const char *name, void *context), void *context);

/* Print and parse the stored form, a JSON object of strings. FAILED when it is damaged. The caller
   owns the results. */
char *core_variables_print(const struct core_variables *variables);
struct core_variables *core_variables_parse(const char *text, GError **error);

/* The length of the longest value, in bytes. */
gsize core_variables_longest(const struct core_variables *variables);

/* The value, or NULL: a mail_template_lookup whose context is the struct core_variables. */
const char *core_variables_lookup(const char *name, void *variables);

#endif
