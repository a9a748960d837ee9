/* SPDX-License-Identifier: MIT */
/* The sources of a variant: its subject, html and text before a person's values are filled in. */
#ifndef BROADCAST_SOURCE_H
#define BROADCAST_SOURCE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "broadcast/content.h"

struct base_id;
struct service;
struct store_email;

struct broadcast_source {
	char *subject;	 /* NULL: none is given */
	GBytes *html;	 /* with the templates that it includes; NULL: none is given */
	GBytes *text;	 /* likewise */
	char *variables; /* JSON object: the template's defaults; NULL: no template */
	bool is_inline;	 /* html and text are the broadcast's own */
};

/* Reads the sources of a variant. INVALID: a template that is not there, or a fault that names part
   and line. The caller frees them. */
struct broadcast_source *broadcast_source_read(struct service *service,
    const struct base_id *workspace, const struct broadcast_content *content, guint number,
    GError **error);
void broadcast_source_free(struct broadcast_source *source);
DEFINE_AUTO(broadcast_source, broadcast_source_free)

/* Checks the subjects, htmls and texts that a content gives. INVALID, naming part and line. */
bool broadcast_source_check(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error);

/* Whether it has a subject and contents. INVALID otherwise. */
bool broadcast_source_is_whole(const struct broadcast_source *source, GError **error);

/* Whether html, or text where there is no html, has {{unsubscribe_url}}; and what is said if not.
 */
bool broadcast_source_unsubscribes(const struct broadcast_source *source);
#define BROADCAST_UNSUBSCRIBES "html must have {{unsubscribe_url}}"

/* Gives an email without contents the sources, unfilled. */
void broadcast_source_put(const struct broadcast_source *source, struct store_email *email);

#endif
