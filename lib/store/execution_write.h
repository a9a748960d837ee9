/* SPDX-License-Identifier: MIT */
/* Executions, as events start and release them, the engine steps them and others end them. All
   inside a transaction. */
#ifndef STORE_EXECUTION_WRITE_H
#define STORE_EXECUTION_WRITE_H

#include "store/execution.h"
#include "store/turn.h"

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

/* The contact of one; NOT_FOUND "Execution not found". */
bool store_execution_contact(struct db *db, const struct base_id *workspace,
    const struct base_id *id, struct base_id *contact_r, GError **error);

#endif
