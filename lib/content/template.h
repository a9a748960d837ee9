/* SPDX-License-Identifier: MIT */
/* The checks of a template before it is stored. */
#ifndef CONTENT_TEMPLATE_H
#define CONTENT_TEMPLATE_H

#include <glib.h>
#include <stdbool.h>

#include "json/view.h"

struct store_template;

/* The members of a template (struct store_template): id, name, subject, html, text, preview_text
   where there is one, variables, created, updated; apart alias, status, published_at. A list is
   without html, text and preview_text. */
extern const struct json_view content_template_view, content_template_list;

/* Checks whether a template can be stored: id, name, html, text, subject and variables. INVALID,
   naming the field. */
bool content_template_check(const struct store_template *template, GError **error);

/* The same for what a change gives: members that are NULL are not looked at, and the id neither. */
bool content_template_check_change(const struct store_template *change, GError **error);

/* Check single parts of it, where they are not NULL: html or text, the subject, and the text for
 * previews. */
bool content_template_check_part(const char *field, GBytes *bytes, GError **error);
bool content_template_check_subject(const char *subject, GError **error);
bool content_template_check_preview(const char *preview, GError **error);

#endif
