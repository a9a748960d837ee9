/* SPDX-License-Identifier: MIT */
/* The variables that a template declares: their names, types and fallbacks. */
#ifndef CONTENT_TEMPLATE_VARIABLES_H
#define CONTENT_TEMPLATE_VARIABLES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct json;
struct store_template;

/* A declared variable. Borrows from its struct content_template_variables. */
struct content_template_variable {
	const char *key;
	bool is_number;		     /* else it is a string */
	const struct json *fallback; /* NULL: none */
	gint64 created, updated;     /* epoch ms: when it was declared, and changed */
};

struct content_template_variables {
	GArray *list; /* of struct content_template_variable, in the order of the declaration */
	struct json *document;
};

/* The variables of a template; if it declares none, the defaults that /v1 gave it. FAILED when
   they are damaged. The caller frees them. */
struct content_template_variables *content_template_variables_read(
    const struct store_template *template, GError **error);
void content_template_variables_free(struct content_template_variables *variables);
DEFINE_AUTO(content_template_variables, content_template_variables_free)

/* The variable with this key, or NULL. */
const struct content_template_variable *content_template_variables_find(
    const struct content_template_variables *variables, const char *key);

/* Whether a name is a field of the reader, which no template declares. */
bool content_template_variables_is_field(const char *name);

/* Declares the variables of a template anew: given is an array of {key, type, fallback_value}. A
   variable that was declared before keeps its times as far as it is the same. Sets declared and
   variables, the defaults for /v1. INVALID, naming the field. */
bool content_template_variables_declare(
    struct store_template *template, const struct json *given, GError **error);

/* Checks that html, text and subject use declared variables and fields of the reader
   alone. INVALID. */
bool content_template_variables_check(const struct store_template *template, GError **error);

#endif
