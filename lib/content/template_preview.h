/* SPDX-License-Identifier: MIT */
/* Fills a template that is not stored, and tells its problems. */
#ifndef CONTENT_TEMPLATE_PREVIEW_H
#define CONTENT_TEMPLATE_PREVIEW_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct content_template_rendered;
struct db;
struct json;
struct store_template;

struct content_template_problem {
	const char *part; /* "html", "text", "subject", "preview_text", "layout" or "variables" */
	char *message;	  /* the sentence with which it would be refused */
};

struct content_template_preview {
	struct content_template_rendered *rendered; /* without a part that has a problem */
	GPtrArray *problems;			    /* of struct content_template_problem */
};

void content_template_preview_free(struct content_template_preview *preview);
DEFINE_AUTO(content_template_preview, content_template_preview_free)

/* Fills the parts of a template that are there, each by itself, with variables
   (content/variables.h; given may be NULL), which are left out as a whole if one is wrong. Only
   workspace_id, html, text, subject, preview and layout of the template count; html has no preview
   that has a problem. Errors of db/statement.h. The
   caller frees the result. */
struct content_template_preview *content_template_preview(
    struct db *db, const struct store_template *template, const struct json *given, GError **error);

#endif
