/* SPDX-License-Identifier: MIT */
/* The versions of a template that were published: the newest LIMIT_VERSIONS, the one that is sent
   among them. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_TEMPLATE_VERSION_H
#define STORE_TEMPLATE_VERSION_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/common/edit.h"

struct base_id;
struct db;
struct store_template;

/* A version with its content: name, subject, html, text, variables, layout and preview, and the id
   of the template. */
struct store_template_version {
	guint version;
	gint64 created;
	char *created_by;
	struct store_template *template;
};
void store_template_version_free(struct store_template_version *version);
DEFINE_AUTO(store_template_version, store_template_version_free)

/* A page of versions, newest first, at most limit, older than before, as an array of struct
   store_edit_version. It is empty where there is no such template. The caller owns it. */
GPtrArray *store_template_version_list(struct db *db, const struct base_id *workspace,
    const char *id, guint before, guint limit, GError **error);

/* A version. NOT_FOUND "Version not found". The caller frees it. */
struct store_template_version *store_template_version_get(
    struct db *db, const struct base_id *workspace, const char *id, guint version, GError **error);

#endif
