/* SPDX-License-Identifier: MIT */
/* Workflows, their versions and triggers, and the tasks that remain for their executions. */
#ifndef STORE_WORKFLOW_H
#define STORE_WORKFLOW_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct store_automation_contact;

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

/* All of it but the design. */
bool store_workflow_insert(struct db *db, const struct store_workflow *workflow, GError **error);

/* The workflow, without its design, which nobody else changes until the transaction ends, and which
   nobody steps. As store_workflow_missing. The caller frees it. */
struct store_workflow *store_workflow_lock(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* name, status, current_version, active_version and updated. */
bool store_workflow_update(struct db *db, const struct store_workflow *workflow, GError **error);

bool store_workflow_delete(struct db *db, const struct base_id *id, gint64 now, GError **error);

/* A design of it, as text. */
bool store_workflow_version_insert(struct db *db, const struct store_workflow *workflow,
    guint version, const char *design, gsize size, GError **error);

/* What decides whether its executions may step. */
struct store_workflow_state {
	struct base_id id;
	enum store_workflow_status status;
	bool deleted;
};

/* The states of workflows, whose ids are set, and which stay so until the transaction ends: who
   changes them waits. One that is not there at all counts as deleted. */
bool store_workflow_states(
    struct db *db, struct store_workflow_state *states, guint count, GError **error);

/* A version's text; NULL without error when there is none. The caller owns it. */
bool store_workflow_design(struct db *db, const struct base_id *id, guint version, char **text_r,
    gsize *size_r, GError **error);

/* Stored as number. */
enum store_workflow_task_kind {
	TASK_UNPARK = 1, /* it goes on: its parked executions are due again */
	TASK_CANCEL = 2, /* it is deleted, with its executions */
};

struct store_workflow_task {
	struct base_id workflow_id;
	enum store_workflow_task_kind kind;
};

/* Inside a transaction. */
bool store_workflow_task_add(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, enum store_workflow_task_kind kind, GError **error);

/* All of them, as an array of struct store_workflow_task. The caller owns it. */
GArray *store_workflow_task_list(struct db *db, GError **error);

/* Inside a transaction: takes one in hand, if nobody else has: *taken_r. */
bool store_workflow_task_take(
    struct db *db, const struct store_workflow_task *task, bool *taken_r, GError **error);

/* Inside a transaction: one that has been taken is done. */
bool store_workflow_task_done(
    struct db *db, const struct store_workflow_task *task, GError **error);

/* Inside a transaction: what a deleted workflow leaves behind that nobody can ask for, at most
   limit rows of it. *count_r: how many. */
bool store_workflow_task_sweep(
    struct db *db, const struct base_id *workflow, guint limit, guint *count_r, GError **error);

/* Lets events of this name start the workflow, in its active version; and no event any more.
   CONFLICT when as many as may already start by events of this name. */
bool store_workflow_trigger_set(
    struct db *db, const struct store_workflow *workflow, const char *event_name, GError **error);
bool store_workflow_trigger_clear(struct db *db, const struct base_id *workflow, GError **error);

/* A workflow that the event may start, or an execution that waits for it. */
struct store_target {
	struct base_id workflow_id;
	guint version;
	bool is_wait;
	/* Of a workflow: when the contact last came into it, by which event; NULL when never. */
	char *last_event;
	gint64 last_time;
	/* Of an execution. */
	struct base_id execution_id;
	char *step_id;
	gint64 step_time, wait_until; /* 0 = no end */
};

/* All of them, of an event of this name of a contact that is locked, as an array of struct
   store_target. Workflows stay as they are until the transaction ends. The caller owns it. */
GArray *store_workflow_trigger_targets(struct db *db,
    const struct store_automation_contact *contact, const char *event_name, GError **error);

/* The same of the contact with this address, which is locked now, in place of
   store_automation_contact_lock. *contact_r is NULL when there is none; the caller frees it. */
GArray *store_workflow_trigger_lock(struct db *db, const struct base_id *workspace,
    const char *address, const char *event_name, struct store_automation_contact **contact_r,
    GError **error);

/* Notes that a contact comes into a workflow. CONFLICT, with first, when it has been in it before.
 * Put off (db_defer).
 */
struct store_workflow_entry {
	const struct base_id *workspace, *workflow, *contact;
	const char *event_name;
	gint64 time;
	bool first;
};
bool store_workflow_trigger_enter(
    struct db *db, const struct store_workflow_entry *entry, GError **error);

/* Inside a transaction: notes that opens or clicks (status) of an email start a workflow. *first_r:
   none has before; a unique key decides. */
bool store_workflow_trigger_open(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *email, int status, bool *first_r,
    GError **error);

#endif
