/* SPDX-License-Identifier: MIT */
/* Puts a template together with its layouts and the templates that it includes. */
#ifndef CONTENT_TEMPLATE_LINK_H
#define CONTENT_TEMPLATE_LINK_H

#include <glib.h>
#include <stdbool.h>

struct db;
struct store_template;

/* Replaces html and text of a template by joined ones (template/template.h), if it has a layout or
   includes others; reads those. INVALID: html: no template "id", html: template "id" includes
   itself, and so on, also for text and layout; errors of db/statement.h. Then the template is
   unchanged. */
bool content_template_link(struct db *db, struct store_template *template, GError **error);

/* Checks whether content_template_link can do it. */
bool content_template_link_check(
    struct db *db, const struct store_template *template, GError **error);

#endif
