/* SPDX-License-Identifier: MIT */
/* Workflows, their versions and triggers, and the tasks that remain for their executions. Errors
   that a function does not name are those of db/statement.h. */
#ifndef STORE_AUTOMATION_WORKFLOW_H
#define STORE_AUTOMATION_WORKFLOW_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/automation/execution.h"
#include "store/automation/watch.h"

struct db;
struct store_person;
struct store_page;

/* Stored as number. */
enum store_workflow_status { WORKFLOW_DRAFT = 1, WORKFLOW_ACTIVE = 2, WORKFLOW_PAUSED = 3 };
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define WORKFLOW_ACTIVE_SQL "2"
#define WORKFLOW_PAUSED_SQL "3"

/* The kind of creator. Stored as number. */
enum store_workflow_author { AUTHOR_USER = 1, AUTHOR_KEY = 2 };

/* A workflow. Versions number its saved designs from 1; active_version is 0 before the first
   activation. Times are epoch ms. */
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
	char *form;   /* likewise: the steps and connections, JSON text, if it was made of
			 these; else NULL */
};

void store_workflow_free(struct store_workflow *workflow);
DEFINE_AUTO(store_workflow, store_workflow_free)

/* The words of the API; store_workflow_status gives the status of a word, 0 for an unknown one. */
const char *store_workflow_status_name(enum store_workflow_status status);
enum store_workflow_status store_workflow_status(const char *name);
const char *store_workflow_author_name(enum store_workflow_author author);

/* Sets NOT_FOUND "Workflow not found" and returns false. */
bool store_workflow_missing(GError **error);

/* A workflow with its design. NOT_FOUND, also for a deleted one. The caller frees it. */
struct store_workflow *store_workflow_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The design of a version, JSON text. NOT_FOUND when there is no such version. The caller owns
   it. */
char *store_workflow_version(struct db *db, const struct base_id *workspace,
    const struct base_id *id, guint version, GError **error);

/* A saved design. */
struct store_workflow_version {
	guint version;
	gint64 created;	  /* epoch ms */
	char *created_by; /* an email address, or the id of a key; NULL: not known */
	char *design;	  /* JSON text; NULL in lists */
	char *form;	  /* as in struct store_workflow; NULL in lists */
};

void store_workflow_version_free(struct store_workflow_version *version);
DEFINE_AUTO(store_workflow_version, store_workflow_version_free)

/* The same as store_workflow_version, with design and form alone. The caller frees it. */
struct store_workflow_version *store_workflow_version_form(struct db *db,
    const struct base_id *workspace, const struct base_id *id, guint version, GError **error);

/* One version, or a page of them, newest first, at most limit, older than before, as an array of
   struct store_workflow_version without designs. The caller has checked the workflow and owns the
   result. */
struct store_workflow_version *store_workflow_version_get(struct db *db,
    const struct base_id *workspace, const struct base_id *id, guint version, GError **error);
GPtrArray *store_workflow_version_list(struct db *db, const struct base_id *workspace,
    const struct base_id *id, guint before, guint limit, GError **error);

/* Checks that the workflow exists: NOT_FOUND otherwise. */
bool store_workflow_check(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The id of the workflow with this name. NOT_FOUND when there is none, INVALID when several have
   it, with a sentence for an operator. */
bool store_workflow_find(struct db *db, const struct base_id *workspace, const char *name,
    struct base_id *id_r, GError **error);

/* A page of workflows, newest first, at most limit, older than before (NULL: from the newest
   on), as an array of struct store_workflow without designs. The caller owns it. */
GPtrArray *store_workflow_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* The same as a page with cursors on either side. The active ones and the others are in it as
   wanted. */
struct store_workflow_wanted {
	bool active, other;
};
GPtrArray *store_workflow_page(struct db *db, const struct base_id *workspace,
    const struct store_page *page, struct store_workflow_wanted wanted, GError **error);

/* Inside a transaction: stores a new workflow without its design, which
   store_workflow_version_insert stores. */
bool store_workflow_insert(struct db *db, const struct store_workflow *workflow, GError **error);

/* Inside a transaction: reads a workflow without its design, and locks it: nobody else changes
   it, and the engine does not step its executions until the transaction ends. NOT_FOUND. The
   caller frees it. */
struct store_workflow *store_workflow_lock(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Inside a transaction: stores name, status, current_version, active_version and updated. */
bool store_workflow_update(struct db *db, const struct store_workflow *workflow, GError **error);

/* Inside a transaction: marks a workflow as deleted at now (epoch ms). No error when there is none
   with this id. */
bool store_workflow_delete(struct db *db, const struct base_id *id, gint64 now, GError **error);

/* A design that is saved. */
struct store_workflow_saved {
	const char *design; /* JSON text */
	gsize size;
	const char *form;	/* as in struct store_workflow */
	const char *created_by; /* as in struct store_workflow_version */
};

/* Inside a transaction: stores a design as the workflow's current_version. */
bool store_workflow_version_insert(struct db *db, const struct store_workflow *workflow,
    const struct store_workflow_saved *saved, GError **error);

/* The part of a workflow that decides whether its executions may step. */
struct store_workflow_state {
	struct base_id id;
	enum store_workflow_status status;
	gint64 deleted; /* when, in epoch ms; 0: it is not */
};

/* Inside a transaction: reads the states of the workflows whose ids are set, and locks them: a
   change of them waits until the transaction ends. A workflow that does not exist counts as
   deleted now. */
bool store_workflow_states(
    struct db *db, struct store_workflow_state *states, guint count, GError **error);

/* The design of a version. */
struct store_workflow_design {
	char *text; /* NULL: there is none */
	gsize size;
	bool has_form; /* the version was made of steps and connections */
};

/* Reads it. The caller owns the text. */
bool store_workflow_design(struct db *db, const struct base_id *id, guint version,
    struct store_workflow_design *design_r, GError **error);

/* Stored as number. */
enum store_workflow_task_kind {
	TASK_UNPARK = 1, /* it was resumed: make its parked executions due again */
	TASK_CANCEL = 2, /* it was deleted: cancel its executions */
	TASK_STOP = 3,	 /* it was stopped: likewise, unless it is active again */
};

struct store_workflow_task {
	struct base_id workflow_id;
	enum store_workflow_task_kind kind;
};

/* Inside a transaction: adds a task. */
bool store_workflow_task_add(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, enum store_workflow_task_kind kind, GError **error);

/* All tasks, as an array of struct store_workflow_task. The caller owns it. */
GArray *store_workflow_task_list(struct db *db, GError **error);

/* Inside a transaction: locks a task; *taken_r is false when another transaction has locked it,
   or it is done. */
bool store_workflow_task_take(
    struct db *db, const struct store_workflow_task *task, bool *taken_r, GError **error);

/* Inside a transaction: removes a task that is done. */
bool store_workflow_task_done(
    struct db *db, const struct store_workflow_task *task, GError **error);

/* Inside a transaction: removes rows of a deleted workflow that no request can read, at most
   limit. *count_r: the number of removed rows. */
bool store_workflow_task_sweep(
    struct db *db, const struct base_id *workflow, guint limit, guint *count_r, GError **error);

/* Inside a transaction: set makes events of this name start the active version of the workflow;
   clear ends that for all events. CONFLICT when the limit of workflows started by this event
   name is reached. */
bool store_workflow_trigger_set(
    struct db *db, const struct store_workflow *workflow, const char *event_name, GError **error);
bool store_workflow_trigger_clear(struct db *db, const struct base_id *workflow, GError **error);

/* A target of an event: a workflow that it may start, or an execution that waits for it or has it
   as goal or exit. */
enum store_target_kind {
	TARGET_WORKFLOW,
	TARGET_WAIT,
	TARGET_GOAL,
	TARGET_EXIT,
	TARGET_PROPERTY, /* of the event: more are found by its value */
};

struct store_target {
	struct base_id workflow_id;
	guint version;
	enum store_target_kind kind;
	/* For a workflow: whether a webhook is to hear of executions that start; event and time of
	 * the contact's last entry; NULL when never. */
	bool is_told;
	char *last_event;
	gint64 last_time;
	/* For an execution: */
	struct base_id execution_id;
	char *step_id;
	gint64 step_time, wait_until; /* 0 = no end */
	/* For an execution of which it is goal or exit: */
	enum store_execution_status status;
	struct base_id event_id; /* the event that started it */
	gint64 goal_at, until;	 /* until: of the goal; 0 = as long as it runs */
	guint step_count;
	/* For a property: */
	char *property;
};

/* Inside a transaction: all targets of an event of this name of a locked contact, as an array of
   struct store_target; locks the workflows until the transaction ends. The caller owns it. */
GArray *store_workflow_trigger_targets(
    struct db *db, const struct store_person *contact, const char *event_name, GError **error);

/* Inside a transaction: adds the targets that are found by contact, event_name, property and hash
   of such a watch, and the next property by which there are any. */
bool store_workflow_trigger_watching(
    struct db *db, const struct store_watch *watch, GArray *targets, GError **error);

/* An event whose contact is to be locked, and what is found for it. */
struct store_workflow_sought {
	const struct base_id *workspace;
	const char *address, *event_name;
	struct store_person *contact; /* NULL when there is none; the caller frees it */
	GArray *targets;	      /* likewise */
};

/* The same for events of different contacts, sorted by workspace, and locks these as
   store_person_lock does, in two round trips for all. Contact and targets are NULL on failure. */
bool store_workflow_trigger_lock(
    struct db *db, struct store_workflow_sought *sought, guint count, GError **error);

/* An entry of a contact into a workflow. */
struct store_workflow_entry {
	const struct base_id *workspace, *workflow, *contact;
	const char *event_name;
	gint64 time;
	bool first;
};

/* Inside a transaction: records that contacts enter workflows. All have the same first; with it,
   CONFLICT when one has entered before. Deferred if they are few (store/common/rows.h). */
bool store_workflow_trigger_enter(
    struct db *db, const struct store_workflow_entry *entries, guint count, GError **error);

/* Inside a transaction: records that opens or clicks (status) of an email start a workflow.
 *first_r: none did before; a unique key decides. */
bool store_workflow_trigger_open(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *email, int status, bool *first_r,
    GError **error);

#endif
