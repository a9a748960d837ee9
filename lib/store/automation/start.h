/* SPDX-License-Identifier: MIT */
/* Starts: a workflow that is begun for one person or for many by request. Errors that a function
   does not name are those of db/statement.h. */
#ifndef STORE_AUTOMATION_START_H
#define STORE_AUTOMATION_START_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/automation/start_status.h"

struct db;
struct store_person;

/* Stored as numbers; the words of the API stand in store_start_sources and so on. */
enum store_start_source { START_API = 1, START_CLI = 2, START_SEGMENT = 3, START_SCHEDULE = 4 };

/* The reason why one person was not begun. */
enum store_start_reason { START_REASON_NONE, START_FILTER = 1, START_REENTRY = 2 };

extern const char *const store_start_sources[];
extern const char *const store_start_statuses[];
extern const char *const store_start_reasons[];

/* Times are epoch ms, 0: none. */
struct store_start {
	struct base_id id, workspace_id, workflow_id;
	enum store_start_source source;
	enum store_start_status status;
	struct base_id audience_id, segment_id, execution_id;
	bool has_audience, has_segment, has_execution;
	char *properties;     /* of its events: a JSON object */
	struct base_id place; /* the last person that was looked at */
	gint64 scheduled_at, created, completed;
	enum store_start_reason reason;
	char *error; /* of one that failed, else NULL */
	gint64 people, started, filter, reentry;
};

void store_start_free(struct store_start *start);
DEFINE_AUTO(store_start, store_start_free)

/* Whether it is neither pending nor running. */
bool store_start_is_over(const struct store_start *start);

/* Sets NOT_FOUND "Start not found" and returns false. */
bool store_start_missing(GError **error);

/* An address of a start that names people. */
struct store_start_address {
	char *address, *email; /* email: in the client's spelling */
};

/* Inside a transaction: stores a start with its addresses. CONFLICT "Limit reached: at most 100
   starts" when as many of the workspace are not over and this one is not, either. */
bool store_start_insert(struct db *db, const struct store_start *start,
    const struct store_start_address *addresses, guint count, GError **error);

/* A start of a workflow; lock, inside a transaction, locks it too. NOT_FOUND. The caller frees it.
 */
struct store_start *store_start_get(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *id, GError **error);
struct store_start *store_start_lock(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *id, GError **error);

/* The same as lock, but NULL without an error when another transaction has it, or when it is gone.
 */
struct store_start *store_start_lock_free(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *id, GError **error);

/* A page of a workflow's starts, newest first, at most limit, older than before (NULL: from the
   newest on), as an array of struct store_start. The caller owns it. */
GPtrArray *store_start_list(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *before, guint limit, GError **error);

/* Whether a start has this id. */
bool store_start_there(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool *there_r, GError **error);

/* The workflow of a start. NOT_FOUND. */
bool store_start_workflow_of(struct db *db, const struct base_id *workspace,
    const struct base_id *id, struct base_id *workflow_r, GError **error);

/* The first start behind an id that has work to do: one that is not over and whose workflow is not
   paused. NULL without an error: there is none. The caller frees it. */
struct store_start *store_start_next(struct db *db, const struct base_id *after, GError **error);

/* Inside a transaction: stores status, place, completed, execution, reason, error and counts. Of
   one that is over the addresses go. */
bool store_start_put(struct db *db, const struct store_start *start, GError **error);

/* Inside a transaction: the first addresses that are left, at most limit, as an array of struct
   store_start_address; take removes those up to the last of them. The caller owns the array. */
GPtrArray *store_start_addresses(
    struct db *db, const struct base_id *start, guint limit, GError **error);
bool store_start_addresses_take(
    struct db *db, const struct base_id *start, const char *last, GError **error);

/* The workflow of a start, as it is now. */
struct store_start_workflow {
	guint status;	 /* enum store_workflow_status */
	guint version;	 /* the active one */
	bool is_deleted; /* or was never there */
	bool is_told;	 /* a webhook is to hear of executions that start */
};

/* Inside a transaction: reads it, and locks it: a change of it waits until the transaction ends. */
bool store_start_workflow(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, struct store_start_workflow *workflow_r, GError **error);

/* The trace that a person has left in a workflow. */
struct store_start_trace {
	bool entered; /* has entered it before */
	bool runs;    /* has an unfinished execution of it */
};

/* Inside a transaction that has locked the people: reads their traces, in their order,
   into zeroed rows. */
bool store_start_traces(struct db *db, const struct base_id *workflow,
    const struct store_person *const *people, guint count, struct store_start_trace *traces_r,
    GError **error);

/* Removes starts that were over before a time (epoch ms), some at a time. */
bool store_start_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
