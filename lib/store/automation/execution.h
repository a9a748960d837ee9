/* SPDX-License-Identifier: MIT */
/* Executions: runs of a version of a workflow for a contact. Errors that a function does not name
   are those of db/statement.h. */
#ifndef STORE_AUTOMATION_EXECUTION_H
#define STORE_AUTOMATION_EXECUTION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/automation/watch.h"
#include "store/common/turn.h"
#include "store/email/event.h"

struct base_id;
struct db;
struct db_rows;
struct store_page;

/* Stored as number. */
enum store_execution_status {
	EXECUTION_IN_PROGRESS = 1,
	EXECUTION_WAITING = 2,
	EXECUTION_COMPLETED = 3,
	EXECUTION_FAILED = 4,
	EXECUTION_CANCELLED = 5,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define EXECUTION_IN_PROGRESS_SQL "1"
#define EXECUTION_WAITING_SQL "2"
#define EXECUTION_COMPLETED_SQL "3"
#define EXECUTION_FAILED_SQL "4"
#define EXECUTION_CANCELLED_SQL "5"

/* Whether an execution of this status is not finished. */
static inline bool
store_execution_is_unfinished(enum store_execution_status status)
{
	return status == EXECUTION_IN_PROGRESS || status == EXECUTION_WAITING;
}

/* Stored as number. */
enum store_execution_cancellation {
	CANCELLATION_NONE = 0,
	CANCELLATION_MANUAL = 1,
	CANCELLATION_CONTACT_DELETED = 2,
	CANCELLATION_WORKFLOW_DELETED = 3,
	CANCELLATION_EXIT = 4,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define CANCELLATION_CONTACT_DELETED_SQL "2"
#define CANCELLATION_EXIT_SQL "4"

/* How an execution was completed. Stored as number. */
enum store_execution_completion {
	COMPLETION_END = 0,
	COMPLETION_GOAL = 1,
	COMPLETION_DIGEST = 2,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define COMPLETION_GOAL_SQL "1"

#define EXECUTION_VISITED 63

/* A run of one version of a workflow for one contact. Times are epoch ms, 0 = none. */
struct store_execution {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id workflow_id;
	struct base_id contact_id;
	struct base_id event_id; /* the event that started it */
	struct base_id
	    start_id; /* the start that began it, if has_start; not read for the engine */
	bool has_start;
	char *email;
	char *workflow; /* its name; NULL when it was read for the engine */
	guint version;
	enum store_execution_status status;
	char *step_id; /* the node that it stands at */
	guint step_count;
	gint64 step_time; /* when the step became due */
	gint64 ready_at;  /* when the engine steps it next */
	gint64 wait_until;
	gint64 released; /* the time of the event that released it */
	guint attempts;
	guint deaths; /* processes that died while they stepped it, since it last waited */
	guint depth;
	guint8 visited[EXECUTION_VISITED]; /* bits: schema/0123-automation.sql */
	char *error_step, *error_message;  /* of FAILED, and of the last attempt of a step that is
					      retried, else NULL */
	enum store_execution_cancellation cancellation;
	enum store_execution_completion completion;
	char *key; /* the value of its trigger's key; NULL: it has none; not read for the engine */
	gint64 goal_at;
	gint64 created, updated, completed;
};

void store_execution_free(struct store_execution *execution);
DEFINE_AUTO(store_execution, store_execution_free)

/* The words of the API, NULL-terminated; the word of a number stands at that number less one. */
extern const char *const store_execution_statuses[];
extern const char *const store_execution_cancellations[];

/* The words of the API, by number. */
extern const char *const store_execution_completions[];

/* Sets NOT_FOUND "Execution not found" and returns false. */
bool store_execution_missing(GError **error);

/* An execution as answers show it: one whose workflow is deleted is cancelled, even before the
   engine has ended it. NOT_FOUND. The caller frees it. */
struct store_execution *store_execution_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The number of unfinished executions at each node of a workflow: ids (char *) to gint64 *. The
   caller owns it. */
GHashTable *store_execution_count_steps(
    struct db *db, const struct base_id *workspace, const struct base_id *workflow, GError **error);

/* The filter of a list: the executions of a workflow, of a contact, or of all workflows of the
   workspace, which costs a statement for each workflow and is for operators. */
struct store_execution_filter {
	const struct base_id *workflow_id; /* one of these, or neither */
	const struct base_id *contact_id;
	enum store_execution_status status; /* 0: any */
	const struct base_id *before;	    /* older than this; NULL: from the newest on */
};

/* A page of executions, newest first, at most limit, as store_execution_get gives them, as an
   array of struct store_execution. The caller owns it. */
GPtrArray *store_execution_list(struct db *db, const struct base_id *workspace,
    const struct store_execution_filter *filter, guint limit, GError **error);

/* A page of the executions of a workflow, newest first, as store_execution_get gives them.
   statuses: those wanted, at most EXECUTION_STATUSES, then 0. The caller owns it. */
#define EXECUTION_STATUSES 5
GPtrArray *store_execution_page(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct store_page *page,
    const enum store_execution_status statuses[EXECUTION_STATUSES], GError **error);

/* The columns for statements on execution e (db/columns.h); store_execution_read reads them from
   the first column on, and leaves the rest of execution_r as it is. */
#define EXECUTION_COLUMNS(FIRST, NEXT)                                                             \
	FIRST(id, "e.id")                                                                          \
	NEXT(workspace_id, "e.workspace_id")                                                       \
	NEXT(workflow_id, "e.workflow_id")                                                         \
	NEXT(contact_id, "e.contact_id")                                                           \
	NEXT(event_id, "e.event_id")                                                               \
	NEXT(email, "e.email")                                                                     \
	NEXT(version, "e.version")                                                                 \
	NEXT(status, "e.status")                                                                   \
	NEXT(step_id, "e.step_id")                                                                 \
	NEXT(step_count, "e.step_count")                                                           \
	NEXT(step_time, "e.step_time")                                                             \
	NEXT(ready_at, "e.ready_at")                                                               \
	NEXT(wait_until, "e.wait_until")                                                           \
	NEXT(released, "e.released")                                                               \
	NEXT(attempts, "e.attempts")                                                               \
	NEXT(depth, "e.depth")                                                                     \
	NEXT(created, "e.created")                                                                 \
	NEXT(deaths, "e.deaths")                                                                   \
	NEXT(visited, "e.visited")
void store_execution_read(
    const struct db_rows *rows, guint first, struct store_execution *execution_r);

/* An event of an email, in short. */
struct store_execution_email_event {
	enum store_event_status status;
	gint64 timestamp;
};

/* An email that an execution sent. Times are epoch ms. */
struct store_execution_email {
	struct base_id email_id;
	struct base_id workflow_id;
	struct base_id execution_id;
	char *subject;
	char *recipient;	 /* its address */
	gint64 created, updated; /* updated: its latest event */
	GArray *events;		 /* struct store_execution_email_event, oldest first */
};

void store_execution_email_free(struct store_execution_email *email);
DEFINE_AUTO(store_execution_email, store_execution_email_free)

/* A page of a workflow's emails, newest first, at most limit, older than before (NULL: from the
   newest on), as an array of struct store_execution_email. The caller owns it. */
GPtrArray *store_execution_email_list(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *before, guint limit, GError **error);

/* All emails of an execution, oldest first. The caller owns them. */
GPtrArray *store_execution_email_of(struct db *db, const struct base_id *workspace,
    const struct base_id *execution, GError **error);

/* How the execution ended that sent an email: by a goal, by an exit, or not so. */
enum store_execution_ending { ENDING_NONE, ENDING_GOAL, ENDING_EXIT };

/* Finds it out for emails, in their order, in endings_r. */
bool store_execution_email_endings(struct db *db, const struct base_id *const *emails, guint count,
    enum store_execution_ending *endings_r, GError **error);

/* Counts a new execution, as it begins, in the figures of its workflow. */
void store_execution_count_start(struct db *db, const struct store_execution *execution);

/* Stores new executions. exclusive: CONFLICT, by the key of that name, when the contact of one has
   an unfinished execution of its workflow. Deferred if they are few (store/common/rows.h). */
bool store_execution_insert(struct db *db, const struct store_execution *executions, guint count,
    bool exclusive, GError **error);

/* Whether a contact has an unfinished execution of the workflow. */
bool store_execution_runs(struct db *db, const struct base_id *workflow,
    const struct base_id *contact, bool *runs_r, GError **error);

/* The keys of a contact's unfinished executions of the workflow, as an array of char *, which the
   caller owns. */
GPtrArray *store_execution_keys(
    struct db *db, const struct base_id *workflow, const struct base_id *contact, GError **error);

/* Releases an execution that waits for an event, by an event of this time; does nothing when its
   wait ended before. Deferred (db_defer). */
bool store_execution_release(struct db *db, const struct base_id *id, gint64 time, GError **error);

/* A due execution with its contact; both are locked. */
struct store_execution_claimed {
	struct store_execution execution;
	enum store_execution_status before; /* its status when it was claimed */
	bool exclusive;
	char *properties; /* of its contact */
	gint64 last_seen; /* likewise */
	gint64 parked;	  /* set this and a ready_at of 0 to park it */
};

/* The bounds of a claim, and how it was made. */
struct store_execution_search {
	gint64 low, now;
	guint limit;
	struct store_turn *turn; /* NULL: always longest due first */
	/* Set by the claim: */
	struct store_turn_plan plan;
	bool turns; /* claimed by turns; else longest due first */
	bool full;  /* claimed as many as limit */
};

/* Inside a transaction: locks executions that are due between low and now, longest due first, at
   most limit, as an array of struct store_execution_claimed; when it is time to take turns, only
   those of workspaces whose turn it is. Skips executions and contacts that another transaction
   has locked. Any number of processes and machines may call it at once. The caller owns it. */
GPtrArray *store_execution_claim(
    struct db *db, struct store_execution_search *search, GError **error);
/* The same for one execution, if it is due and not locked. */
GPtrArray *store_execution_claim_one(
    struct db *db, const struct base_id *id, gint64 now, GError **error);
/* The same for executions that stand at a request, also if they are not due, at most
   EXECUTIONS_ASKING. */
#define EXECUTIONS_ASKING 50
GPtrArray *store_execution_claim_asking(
    struct db *db, const struct base_id *const *ids, guint count, GError **error);
void store_execution_claimed_free(struct store_execution_claimed *claimed);
DEFINE_AUTO(store_execution_claimed, store_execution_claimed_free)

/* Stores the new state of claimed executions. */
bool store_execution_put(struct db *db, const struct store_execution_claimed *const *claimed,
    guint count, GError **error);

/* Outside a transaction: counts a process that died while it stepped this execution. */
bool store_execution_blame(struct db *db, const struct base_id *id, GError **error);

/* The end of an execution by a goal or an exit. Times are epoch ms. */
struct store_execution_end {
	struct base_id id, workspace_id, workflow_id;
	bool is_goal; /* COMPLETED; else CANCELLED by an exit */
	gint64 goal_at, now;
};

/* Inside a transaction that has locked the person: ends an unfinished execution, and removes its
   waits, its digest, and its watches but for a goal that still counts. *ended_r: it was unfinished.
 */
bool store_execution_end(
    struct db *db, const struct store_execution_end *end, bool *ended_r, GError **error);

/* Likewise: notes that an execution has reached its goal at a time, if it has not before, and
   removes the watches of the goal. */
bool store_execution_reach(struct db *db, const struct store_execution_end *end, GError **error);

/* Counts that an execution has reached its goal. */
void store_execution_count_goal(
    struct db *db, const struct base_id *workspace, const struct base_id *workflow, gint64 time);

/* Cancels unfinished executions, and removes their waits: one, of which id, workspace_id and
   workflow_id are read; all of a contact; at most limit of a workflow, for this reason. *count_r:
   the number of cancelled ones. */
bool store_execution_cancel(struct db *db, const struct store_execution *execution, gint64 now,
    guint *count_r, GError **error);
bool store_execution_cancel_contact(
    struct db *db, const struct base_id *contact, gint64 now, guint *count_r, GError **error);
struct store_execution_cancelling {
	const struct base_id *workflow;
	enum store_execution_cancellation reason;
	gint64 now; /* epoch ms */
	guint limit;
};
bool store_execution_cancel_workflow(struct db *db,
    const struct store_execution_cancelling *cancelling, guint *count_r, GError **error);

/* Makes parked executions of a workflow due again, at most limit. */
bool store_execution_unpark(
    struct db *db, const struct base_id *workflow, guint limit, guint *count_r, GError **error);

/* Whether a workflow has unfinished executions, or parked ones. */
bool store_execution_has_running(
    struct db *db, const struct base_id *workflow, bool *has_r, GError **error);
bool store_execution_has_parked(
    struct db *db, const struct base_id *workflow, bool *has_r, GError **error);

struct store_execution_wait {
	const struct base_id *workspace, *contact, *execution;
	const char *event_name;
	const char *property;	      /* by whose value it is found; NULL: none, */
	guint8 hash[WATCH_HASH_SIZE]; /* and the hash of that (store/automation/watch.h) */
	bool asks_results; /* that value may be the result of a step: one that is removed may be
			      found by it, or not */
};

/* Inside a transaction: stores waits for events. CONFLICT when one of them is stored already. */
bool store_execution_wait_insert(
    struct db *db, const struct store_execution_wait *waits, guint count, GError **error);

/* Inside a transaction: removes waits; one that is not stored is passed over. */
bool store_execution_wait_remove(
    struct db *db, const struct store_execution_wait *waits, guint count, GError **error);

#endif
