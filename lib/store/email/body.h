/* SPDX-License-Identifier: MIT */
/* The contents of emails, each stored once for all emails that have it. Errors that a function does
   not name are those of db/statement.h. */
#ifndef STORE_EMAIL_BODY_H
#define STORE_EMAIL_BODY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/secret.h"

struct db;

/* A content: html, text or attachment. Each is stored once in a workspace, under its hash, but for
   those that one email has for itself (store/email/content.h). */
struct store_body {
	GBytes *data;
	guint8 hash[SHA256_SIZE]; /* not of own ones */
	bool is_own;		  /* stored beside its email */
};

/* Takes a reference to data and computes its hash. */
struct store_body store_body_make(GBytes *data);

/* Takes a reference to data that one email has for itself. It is own, and has no hash, if it is
   small enough (LIMIT_OWN_CONTENT_BYTES). */
struct store_body store_body_make_own(GBytes *data);

/* Inside a transaction: stores each body that is not stored yet, in rows of at most 1 MiB. Store
   the rows that refer to the bodies in the same transaction. Their foreign key gives CONFLICT in
   the rare case that a body was removed in between: run the transaction again. */
bool store_body_put(struct db *db, const struct base_id *workspace,
    const struct store_body *const *bodies, guint count, GError **error);

/* The first row of a content (columns hash, size and data of table body). All borrowed. */
struct store_body_row {
	const guint8 *hash;
	gsize size; /* of the whole content */
	const void *data;
	gsize data_size;
};

/* The whole content. FAILED when a row is missing. The caller owns it. */
GBytes *store_body_complete(struct db *db, const struct base_id *workspace,
    const struct store_body_row *first, GError **error);

/* The whole content. FAILED when it is not stored. The caller owns it. */
GBytes *store_body_get(
    struct db *db, const struct base_id *workspace, const guint8 hash[SHA256_SIZE], GError **error);

/* Removes a body, unless a row still refers to it. */
bool store_body_drop(
    struct db *db, const struct base_id *workspace, const guint8 hash[SHA256_SIZE], GError **error);

#endif
