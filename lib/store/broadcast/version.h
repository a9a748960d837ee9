/* SPDX-License-Identifier: MIT */
/* The versions of a broadcast's content: the newest LIMIT_VERSIONS, the one that it has among them.
   Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_BROADCAST_VERSION_H
#define STORE_BROADCAST_VERSION_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/common/edit.h"

struct base_id;
struct db;
struct store_broadcast;

struct store_broadcast_version {
	guint version;
	gint64 created;
	char *created_by, *content; /* content: as that of a broadcast */
};
void store_broadcast_version_free(struct store_broadcast_version *version);
DEFINE_AUTO(store_broadcast_version, store_broadcast_version_free)

/* A page of versions, newest first, at most limit, older than before, as an array of struct
   store_edit_version. It is empty where there is no such broadcast. The caller owns it. */
GPtrArray *store_broadcast_version_list(struct db *db, const struct base_id *workspace,
    const struct base_id *broadcast, guint before, guint limit, GError **error);

/* A version. NOT_FOUND "Version not found". The caller frees it. */
struct store_broadcast_version *store_broadcast_version_get(struct db *db,
    const struct base_id *workspace, const struct base_id *broadcast, guint version,
    GError **error);

/* Inside a transaction, before a broadcast gets another content: makes a version of the one that
   it has, if it has none yet. */
bool store_broadcast_version_keep(struct db *db, const struct base_id *workspace,
    const struct base_id *broadcast, GError **error);

/* Inside a transaction, after that: makes a version of the content, unless the newest one is the
   same, and removes those past the limit. */
bool store_broadcast_version_add(struct db *db, const struct base_id *workspace,
    const struct base_id *broadcast, const struct store_edit *edit, GError **error);

#endif
