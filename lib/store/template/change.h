/* SPDX-License-Identifier: MIT */
/* The contents of a template while it is changed. For template.c and template_draft.c. Errors that
   a function does not name are those of db/statement.h. */
#ifndef STORE_TEMPLATE_CHANGE_H
#define STORE_TEMPLATE_CHANGE_H

#include <glib.h>
#include <stdbool.h>

#include "db/value.h"
#include "store/email/body.h"

struct base_id;
struct db;
struct store_template;

/* html and text of the template, and of its draft, before the change. */
#define STORE_TEMPLATE_OLD 4

struct store_template_change {
	const struct store_template *template; /* as it is to be; NULL: it is not written */
	const struct base_id *workspace;
	const char *id;
	struct store_body html, text; /* data NULL: none */
	guint8 old[STORE_TEMPLATE_OLD][SHA256_SIZE];
	guint old_count;
	bool is_draft;	/* the template was never published */
	bool has_draft; /* it was, and has changes that are not */
};

/* Sets NOT_FOUND "Template not found" and returns false. */
bool store_template_missing(GError **error);

/* Takes references to the new contents, each of which may be NULL; workspace and id are
   borrowed. */
struct store_template_change store_template_change_begin(
    const struct base_id *workspace, const char *id, GBytes *html, GBytes *text);

/* Inside a transaction: locks the template with this id, and reads its state before the change.
   NOT_FOUND "Template not found"; also for one that was never published, unless drafts is true. */
bool store_template_change_lock(
    struct db *db, struct store_template_change *change, bool drafts, GError **error);

/* Inside a transaction: stores the contents. */
bool store_template_change_put(
    struct db *db, const struct store_template_change *change, GError **error);

/* The hash of a content, to be bound; NULL without one. */
struct db_value store_template_change_hash(const struct store_body *body);

/* After the transaction: removes contents that nothing uses any more, and drops the references.
   Contents that are left for a while do no harm. */
void store_template_change_end(struct db *db, struct store_template_change *change);

#endif
