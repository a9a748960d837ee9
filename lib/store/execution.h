/* SPDX-License-Identifier: MIT */
/* Executions: runs of a version of a workflow for a contact. */
#ifndef STORE_EXECUTION_H
#define STORE_EXECUTION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/event.h"
#include "store/turn.h"

struct base_id;
struct db;
struct db_rows;

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

/* The columns of a statement that gives executions e, from the first on, and what they say. */
#define EXECUTION_COLUMNS                                                                          \
	"e.id, e.workspace_id, e.workflow_id, e.contact_id, e.event_id, e.email, e.version,"       \
	" e.status, e.step_id, e.step_count, e.step_time, e.ready_at, e.wait_until, e.released,"   \
	" e.attempts, e.depth, e.created, e.deaths"
#define EXECUTION_COLUMN_COUNT 18

/* The rest of execution_r stays as it is. */
void store_execution_read(struct db_rows *rows, struct store_execution *execution_r);

/* What became of an email, in short. */
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

/* Those of a workflow, newest first, at most limit, older than before (NULL: from the newest on),
   as an array of struct store_execution_email. The caller owns it. */
GPtrArray *store_execution_email_list(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *before, guint limit, GError **error);

/* All of an execution, oldest first. The caller owns them. */
GPtrArray *store_execution_email_of(struct db *db, const struct base_id *workspace,
    const struct base_id *execution, GError **error);

/* CONFLICT, by the key exclusive, when it is to be the only one and there is one already. Put off
   (db_defer). */
bool store_execution_insert(
    struct db *db, const struct store_execution *execution, bool exclusive, GError **error);

/* Whether a contact has an execution of the workflow that is not finished. */
bool store_execution_runs(struct db *db, const struct base_id *workflow,
    const struct base_id *contact, bool *runs_r, GError **error);

/* Lets go one that waits for an event, by one of this time; nothing when its wait has ended, or
   ends before. Put off (db_defer). */
bool store_execution_release(struct db *db, const struct base_id *id, gint64 time, GError **error);

/* One that is due, with its contact; both are locked. */
struct store_execution_claimed {
	struct store_execution execution;
	bool exclusive;
	char *properties; /* of its contact */
	gint64 last_seen; /* likewise */
	gint64 parked;	  /* set it, with a ready_at of 0, to have it parked */
};

/* What to claim, and by which plan it was. */
struct store_execution_search {
	gint64 low, now;
	guint limit;
	struct store_turn *turn; /* NULL: always those that are longest due */
	/* Set by the claim: */
	struct store_turn_plan plan;
	bool turns; /* they have their turn; else they are longest due, */
	bool full;  /* and as many as were wanted */
};

/* Those that are due between low and now, longest first, at most limit, as an array of struct
   store_execution_claimed; or, where it is time to take turns, only those whose workspace has its
   turn. Without those that somebody else has in hand, or whose contact. Any number of processes and
   machines may do this at once. The caller owns it. */
GPtrArray *store_execution_claim(
    struct db *db, struct store_execution_search *search, GError **error);
/* The same of one, if it is due and nobody has it in hand. */
GPtrArray *store_execution_claim_one(
    struct db *db, const struct base_id *id, gint64 now, GError **error);
void store_execution_claimed_free(struct store_execution_claimed *claimed);

/* Stores what became of those that have been claimed. */
bool store_execution_put(struct db *db, const struct store_execution_claimed *const *claimed,
    guint count, GError **error);

/* Outside a transaction: a process died while it stepped this one. */
bool store_execution_blame(struct db *db, const struct base_id *id, GError **error);

/* Ends those that are not finished: one; all of a contact; at most limit of a workflow. Each with
   what it waits for. *count_r: how many. */
bool store_execution_cancel(
    struct db *db, const struct base_id *id, gint64 now, guint *count_r, GError **error);
bool store_execution_cancel_contact(
    struct db *db, const struct base_id *contact, gint64 now, guint *count_r, GError **error);
bool store_execution_cancel_workflow(struct db *db, const struct base_id *workflow, gint64 now,
    guint limit, guint *count_r, GError **error);

/* Makes parked ones of a workflow due again as they were, at most limit. */
bool store_execution_unpark(
    struct db *db, const struct base_id *workflow, guint limit, guint *count_r, GError **error);

/* Whether there are any left for the last two. */
bool store_execution_has_running(
    struct db *db, const struct base_id *workflow, bool *has_r, GError **error);
bool store_execution_has_parked(
    struct db *db, const struct base_id *workflow, bool *has_r, GError **error);

struct store_execution_wait {
	const struct base_id *workspace, *contact, *execution;
	const char *event_name;
};

bool store_execution_wait_insert(
    struct db *db, const struct store_execution_wait *waits, guint count, GError **error);

bool store_execution_wait_remove(
    struct db *db, const struct store_execution_wait *waits, guint count, GError **error);

#endif
