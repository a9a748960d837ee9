/* SPDX-License-Identifier: MIT */
#ifndef STORE_WORKFLOW_H
#define STORE_WORKFLOW_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Stored as number. */
enum store_workflow_status { WORKFLOW_DRAFT = 1, WORKFLOW_ACTIVE = 2, WORKFLOW_PAUSED = 3 };

/* Who made it. Stored as number. */
enum store_workflow_author { AUTHOR_USER = 1, AUTHOR_KEY = 2 };

/* A workflow; versions count its saved designs from 1, and active_version is 0 before the first
 * activation. Times are epoch ms. */
struct store_workflow {
	struct base_id id;
	struct base_id workspace_id;
	char *name;
	enum store_workflow_status status;
	guint current_version, active_version;
	char *created_by; /* an email address, or the id of a key */
	enum store_workflow_author created_by_type;
	gint64 created, updated;
	char *design; /* of current_version, as it was saved; NULL in lists */
};

void store_workflow_free(struct store_workflow *workflow);
DEFINE_AUTO(store_workflow, store_workflow_free)

/* The words of the API, and the opposite: 0 when there is none. */
const char *store_workflow_status_name(enum store_workflow_status status);
enum store_workflow_status store_workflow_status(const char *name);
const char *store_workflow_author_name(enum store_workflow_author author);

/* NOT_FOUND "Workflow not found". Returns false. */
bool store_workflow_missing(GError **error);

/* With its design. A deleted one is not there: as store_workflow_missing. The caller frees it. */
struct store_workflow *store_workflow_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The design of one of its versions, JSON text. NOT_FOUND when there is no such version. The caller
   owns it. */
char *store_workflow_version(struct db *db, const struct base_id *workspace,
    const struct base_id *id, guint version, GError **error);

/* Whether there is one: if not, as store_workflow_missing. */
bool store_workflow_check(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The id of the one that has this name. NOT_FOUND when there is none, INVALID when there are
   several, with a sentence for an operator. */
bool store_workflow_find(struct db *db, const struct base_id *workspace, const char *name,
    struct base_id *id_r, GError **error);

/* Newest first, at most limit, older than before (NULL: from the newest on), as an array of struct
   store_workflow without their designs. The caller owns it. */
GPtrArray *store_workflow_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

#endif
