/* SPDX-License-Identifier: MIT */
/* The contents of a template while it is changed. For template.c and template_draft.c. Errors that
   a function does not name are those of db/statement.h. */
#ifndef STORE_TEMPLATE_CHANGE_H
#define STORE_TEMPLATE_CHANGE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "db/value.h"
#include "store/email/body.h"

struct db;
struct db_rows;
struct store_template;

struct store_template_change {
	const struct store_template *template; /* as it is to be; NULL: it is not written */
	const struct base_id *workspace;
	const char *id;
	struct store_body html, text; /* data NULL: none */
	/* Hashes of html and text of the template and its draft before the change, and of versions
	   that go. */
	GArray *old;
	struct base_id sequence, version; /* of the template before the change */
	bool is_draft;			  /* the template was never published */
	bool has_draft;			  /* it was, and has changes that are not */
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

/* Adds the hash in a column, unless it is NULL, to those whose contents are removed. */
void store_template_change_drop(
    struct store_template_change *change, const struct db_rows *rows, guint column);

/* Inside a transaction: stores the contents. */
bool store_template_change_put(
    struct db *db, const struct store_template_change *change, GError **error);

/* The hash of a content, to be bound; NULL without one. */
struct db_value store_template_change_hash(const struct store_body *body);

/* After the transaction: removes contents that nothing uses any more, and drops the references.
   Contents that are left for a while do no harm. */
void store_template_change_end(struct db *db, struct store_template_change *change);

#endif
