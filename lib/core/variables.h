/* SPDX-License-Identifier: MIT */
#ifndef CORE_VARIABLES_H
#define CORE_VARIABLES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct json;

/* The values that references are replaced by: name → text. */
struct core_variables;

struct core_variables *core_variables_new(void);
void core_variables_free(struct core_variables *variables);
DEFINE_AUTO(core_variables, core_variables_free)

/* Takes over the "variables" of a request: each a string, a number, null, or an object with value
   and default; or the two keys values and default_values of older clients. A name that is there
   already keeps its value where the request brings neither a value nor a default. INVALID, naming
   the variable. NULL is no variables. */
bool core_variables_add(struct core_variables *variables, const struct json *given, GError **error);

/* Gives each variable that a source refers to the value that resolve has for it, if any. */
void core_variables_resolve(struct core_variables *variables, const char *source, gsize size,
    const char *(*resolve)(const char *name, void *context), void *context);

/* The stored form, a JSON object of strings, and back; FAILED when that is damaged. The caller owns
 * the text. */
char *core_variables_print(const struct core_variables *variables);
struct core_variables *core_variables_parse(const char *text, GError **error);

/* The bytes of the longest value. */
gsize core_variables_longest(const struct core_variables *variables);

/* The value, or NULL: a mail_template_lookup whose context is the struct core_variables. */
const char *core_variables_lookup(const char *name, void *variables);

#endif
