/* SPDX-License-Identifier: MIT */
/* Double opt-in of an audience: who joins waits until the person confirms it. */
#ifndef STORE_CONSENT_OPT_IN_H
#define STORE_CONSENT_OPT_IN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

struct store_opt_in {
	bool required;
	bool by_link;			      /* opening the link confirms, without a button */
	char *template_id, *sender, *subject; /* NULL: built-in, default, built-in */
	char *audience;			      /* its name; read alone */
};

void store_opt_in_free(struct store_opt_in *opt_in);
DEFINE_AUTO(store_opt_in, store_opt_in_free)

/* The opt-in of an audience. NOT_FOUND "Audience not found". The caller frees it. */
struct store_opt_in *store_opt_in_get(
    struct db *db, const struct base_id *workspace, const struct base_id *audience, GError **error);

/* Stores all but the name. NOT_FOUND as above. */
bool store_opt_in_put(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct store_opt_in *opt_in, GError **error);

#endif
