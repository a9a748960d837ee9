/* SPDX-License-Identifier: MIT */
/* Secrets of a workspace, which steps of workflows use by their names. Their values are encrypted.
   Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_AUTOMATION_SECRET_H
#define STORE_AUTOMATION_SECRET_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* A secret as lists show it. */
struct store_secret {
	struct base_id workspace_id;
	char *name;
	gint64 created, updated; /* epoch ms */
};

void store_secret_free(struct store_secret *secret);
DEFINE_AUTO(store_secret, store_secret_free)

/* Inside a transaction: stores a value, in place of that of before, and sets the times of the
   secret. *made_r: there was none of this name. CONFLICT "Limit reached: at most 100 secrets". */
bool store_secret_put(
    struct db *db, struct store_secret *secret, GBytes *value, bool *made_r, GError **error);

/* The secrets of a workspace behind a name ("": from the first on) by their names, at most limit,
   as an array of struct store_secret, which the caller owns. */
GPtrArray *store_secret_list(
    struct db *db, const struct base_id *workspace, const char *after, guint limit, GError **error);

/* The encrypted value of a secret; NOT_FOUND "Secret not found". The caller owns it. */
GBytes *store_secret_value(
    struct db *db, const struct base_id *workspace, const char *name, GError **error);

/* NOT_FOUND "Secret not found". */
bool store_secret_remove(
    struct db *db, const struct base_id *workspace, const char *name, GError **error);

#endif
