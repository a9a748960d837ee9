/* SPDX-License-Identifier: MIT */
/* The things of a workspace that a template is needed for. Errors that a function does not name are
   those of db/statement.h. */
#ifndef STORE_TEMPLATE_USE_H
#define STORE_TEMPLATE_USE_H

#include <glib.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* A thing that needs a template. */
struct store_template_use {
	const char *type; /* "workflow", "broadcast", "audience" or "template" */
	char *id, *name;
	char *source; /* in which the template may be included; NULL: it is named for sure */
};

void store_template_use_free(struct store_template_use *use);
DEFINE_AUTO(store_template_use, store_template_use_free)

/* The active workflows and the broadcasts that are to leave or leaving which send this template,
   the audiences whose opt-in mail it is, and the templates whose layout it is; and then the
   broadcasts and templates that may include it, with their sources. At most STORE_TEMPLATE_USES of
   each, as an array of struct store_template_use. The caller owns it. */
#define STORE_TEMPLATE_USES 20
GPtrArray *store_template_uses(
    struct db *db, const struct base_id *workspace, const char *id, GError **error);

#endif
