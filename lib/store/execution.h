/* SPDX-License-Identifier: MIT */
#ifndef STORE_EXECUTION_H
#define STORE_EXECUTION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Stored as number. */
enum store_execution_status {
	EXECUTION_IN_PROGRESS = 1,
	EXECUTION_WAITING = 2,
	EXECUTION_COMPLETED = 3,
	EXECUTION_FAILED = 4,
	EXECUTION_CANCELLED = 5,
};

/* Stored as number. */
enum store_execution_cancellation {
	CANCELLATION_NONE = 0,
	CANCELLATION_MANUAL = 1,
	CANCELLATION_CONTACT_DELETED = 2,
	CANCELLATION_WORKFLOW_DELETED = 3,
};

/* A run of one version of a workflow for one contact. Times are epoch ms, 0 = none. */
struct store_execution {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id workflow_id;
	struct base_id contact_id;
	struct base_id event_id; /* that started it */
	char *email;
	char *workflow; /* its name; NULL when it was read for the engine */
	guint version;
	enum store_execution_status status;
	char *step_id; /* the node it stands at */
	guint step_count;
	gint64 step_time; /* when that became due */
	gint64 ready_at;  /* when the engine is to look at it */
	gint64 wait_until;
	gint64 released; /* the time of the event that has let it go */
	guint attempts;
	guint deaths; /* of processes that stepped it, since it last waited */
	guint depth;
	char *error_step, *error_message; /* of FAILED, else NULL */
	enum store_execution_cancellation cancellation;
	gint64 created, updated, completed;
};

void store_execution_free(struct store_execution *execution);
DEFINE_AUTO(store_execution, store_execution_free)

/* The words of the API for them, NULL-terminated, at the place of each number less one. */
extern const char *const store_execution_statuses[];
extern const char *const store_execution_cancellations[];

/* NOT_FOUND "Execution not found". Returns false. */
bool store_execution_missing(GError **error);

/* As it is seen from outside: that its workflow is deleted has cancelled it, whether or not the
   engine has come to it yet. As store_execution_missing where there is none. The caller frees it.
 */
struct store_execution *store_execution_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* How many executions of a workflow that are not finished stand at each of its nodes: ids (char *)
   to gint64 *. The caller owns it. */
GHashTable *store_execution_count_steps(
    struct db *db, const struct base_id *workspace, const struct base_id *workflow, GError **error);

/* Whose executions a page has: of a workflow, which is there, of a contact, or of all workflows of
   the workspace, which costs a statement for each and is for operators. */
struct store_execution_filter {
	const struct base_id *workflow_id; /* one of these, or neither */
	const struct base_id *contact_id;
	enum store_execution_status status; /* 0: any */
	const struct base_id *before;	    /* older than this; NULL: from the newest on */
};

/* Newest first, at most limit, as store_execution_get gives them, as an array of struct
   store_execution. The caller owns it. */
GPtrArray *store_execution_list(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, guint limit, GError **error);

#endif
