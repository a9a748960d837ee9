/* SPDX-License-Identifier: MIT */
/* Makes the contents of an email of a published template and the values of its variables. */
#ifndef CONTENT_TEMPLATE_FILL_H
#define CONTENT_TEMPLATE_FILL_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct service;
struct base_id;
struct json;

/* The contents, in which no variable is left. NULL: the template has none. */
struct content_template_email {
	char *id; /* of the template */
	char *from, *subject, *html;
	char *text;	 /* "": an empty text, so none is derived */
	char **reply_to; /* addresses, NULL-terminated; none: empty */
};

void content_template_email_free(struct content_template_email *email);
DEFINE_AUTO(content_template_email, content_template_email_free)

/* Fills the published version of a template. name: its alias, or else its id. variables: an object
   with a string or a number for each key, or NULL; a key that the template does not declare is
   ignored. any_type: a string also serves as a number, and a number as a string. NOT_FOUND
   "Template not found"; INVALID with a message for the client when it is not published, when a
   declared variable has neither value nor fallback, and when a value has another type; TOO_LARGE
   when the result exceeds LIMIT_RENDERED_BYTES. The caller frees the result. */
struct content_template_email *content_template_fill(struct service *service,
    const struct base_id *workspace, const char *name, const struct json *variables, bool any_type,
    GError **error);

#endif
