/* SPDX-License-Identifier: MIT */
/* Creates and changes templates with drafts (store/template/draft.h). */
#ifndef CONTENT_TEMPLATE_DRAFT_H
#define CONTENT_TEMPLATE_DRAFT_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct base_id;
struct json;

/* A template as a client gives it, each text within its length; NULL: not given, and so left as it
   is. An empty subject, from or reply_to means none. Borrowed. */
struct content_template_input {
	const char *name, *html, *text, *subject, *from, *alias;
	const char *const *reply_to;  /* lists of addresses, NULL-terminated */
	const struct json *variables; /* as for content_template_variables_declare */
};

/* Errors of all functions: INVALID with a message that names the field in backquotes, as in Invalid
   `alias` field. ..., and of content/template_variables.h; NOT_FOUND "Template not found". name is
   the alias of a template, or else its id. The caller owns *id_r. */

/* Stores a new draft. name and html must be given. CONFLICT when the workspace has reached its
   limit of templates. */
bool content_template_draft_create(struct service *service, const struct base_id *workspace,
    const struct content_template_input *input, char **id_r, GError **error);

/* Changes the draft of a template; makes one if there is none. The alias changes at once. */
bool content_template_draft_change(struct service *service, const struct base_id *workspace,
    const char *name, const struct content_template_input *input, char **id_r, GError **error);

/* Stores a copy of the draft, which is a draft without alias, and whose name ends with " (Copy)".
   CONFLICT as above. */
bool content_template_draft_duplicate(struct service *service, const struct base_id *workspace,
    const char *name, char **id_r, GError **error);

/* The addresses of a template's reply_to, NULL-terminated; none for NULL. FAILED when it is
   damaged. The caller frees them. */
char **content_template_draft_addresses(const char *list, GError **error);

#endif
