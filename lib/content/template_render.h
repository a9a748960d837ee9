/* SPDX-License-Identifier: MIT */
/* Fills stored templates of /v1 with variables. */
#ifndef CONTENT_TEMPLATE_RENDER_H
#define CONTENT_TEMPLATE_RENDER_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "template/out.h"

struct base_id;
struct content_variables;
struct db;
struct json;
struct store_template;

/* The results of a template; NULL: it has none. */
struct content_template_rendered {
	char *subject, *html, *text;
};

void content_template_rendered_free(struct content_template_rendered *rendered);
DEFINE_AUTO(content_template_rendered, content_template_rendered_free)

/* Reads a template that is to be used, and puts it together with those that it includes. preview:
   the text for previews, "" for none; NULL: the template's own. NOT_FOUND
   "Template not found"; INVALID "Template has no valid HTML" when it, or what it includes, is not
   as it was when it was stored; errors of db/statement.h. The caller frees it. */
struct store_template *content_template_read(struct db *db, const struct base_id *workspace,
    const char *id, const char *preview, GError **error);

/* Fills a template that content_template_read gave with variables (content/variables.h), after its
   defaults; given may be NULL. A variable that has neither gets the default of the property with
   its name. INVALID, naming the variable or the part; TOO_LARGE; errors of
   db/statement.h. The caller frees the result. */
struct content_template_rendered *content_template_render(
    struct db *db, const struct store_template *template, const struct json *given, GError **error);

/* Fills html or text, which part names. INVALID; TOO_LARGE. The caller owns it. */
char *content_template_render_part(const char *part, GBytes *source, enum template_kind kind,
    const struct content_variables *variables, GError **error);

/* Fills a subject. INVALID, also when the result is too long; TOO_LARGE. The caller owns it. */
char *content_template_render_subject(
    const char *source, const struct content_variables *variables, GError **error);

#endif
