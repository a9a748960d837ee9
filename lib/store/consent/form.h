/* SPDX-License-Identifier: MIT */
/* Forms by which people join an audience. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_CONSENT_FORM_H
#define STORE_CONSENT_FORM_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

struct store_form {
	struct base_id id, workspace_id, audience_id;
	char *name;
	char *topics;	    /* JSON array of ids */
	char *fields;	    /* JSON array: first_name, last_name, keys of properties */
	char *redirect_url; /* "": none */
	char *origins;	    /* JSON array: sites whose scripts may use it; "null": any */
	bool double_opt_in;
	gint64 per_network;	 /* submissions of a network in an hour */
	gint64 created, updated; /* epoch ms */
};

void store_form_free(struct store_form *form);
DEFINE_AUTO(store_form, store_form_free)

/* Sets NOT_FOUND "Form not found" and returns false. */
bool store_form_missing(GError **error);

/* Stores a new form, and sets id, created and updated. */
bool store_form_create(struct db *db, struct store_form *form, GError **error);

/* Stores all but id and created, and sets updated. NOT_FOUND. */
bool store_form_change(struct db *db, struct store_form *form, GError **error);

/* One form; workspace NULL: of any workspace. NOT_FOUND. The caller frees it. */
struct store_form *store_form_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* NOT_FOUND. Mails that were sent stay good. */
bool store_form_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* A page of forms, newest first, at most limit, older than before (NULL: from the newest on), as
   an array of struct store_form. The caller owns it. */
GPtrArray *store_form_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

#define FORM_WHO_SIZE 16

/* Counts a use of a form by somebody, of whom who is a hash. *use_r: the number of this use in the
   hour that began with the first, *left_ms_r: the rest of that hour. Inside or outside a
   transaction. */
bool store_form_use(struct db *db, const struct store_form *form, const guint8 who[FORM_WHO_SIZE],
    guint *use_r, gint64 *left_ms_r, GError **error);

/* Removes a batch of counts of hours that began before a time (epoch ms). */
bool store_form_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
