/* SPDX-License-Identifier: MIT */
/* Whose turn it is: claims from a queue that all workspaces share, when one of them fills it. */
#ifndef STORE_TURN_H
#define STORE_TURN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "db/rows.h"

struct db;

/* A batch that takes turns gives a share of itself to so many workspaces, and one row to each of so
   many that come behind them. TURN_HEAD_IDS has a question mark for each of the latter. */
#define TURN_SHARES 5
#define TURN_HEADS 20
#define TURN_HEAD_IDS "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define TURN_MAX (TURN_SHARES + TURN_HEADS)

enum store_turn_queue { TURN_OUTBOX, TURN_EXECUTION, TURN_DOMAIN_CHECK };

/* A worker's place in the round of the workspaces; all zero at first. Batches are claimed oldest
   first as long as they take all that is due. Behind a full one comes one that takes turns, and
   behind that one that is oldest first again: so what is due leaves with one of the next two
   batches, and the oldest rows are never passed over for long. */
struct store_turn {
	struct base_id last;  /* the workspace that had the last share */
	struct base_id heavy; /* the one to which the last row of the last full batch belongs: the
			    next oldest rows are most likely its too, so it needs no turn */
	bool next;	      /* the next batch takes turns */
	gint64 rest;	      /* no turns until then, on base_clock_boot */
};

/* The workspaces whose turn it is: the first ones have shares of so many rows. */
struct store_turn_plan {
	struct store_turn_head {
		struct base_id workspace_id;
		struct base_id row; /* the key of its first due row, */
		gint64 due;	    /* and since when that is due */
	} heads[TURN_MAX];
	guint count, shares, share;
};

/* Finds workspaces that have rows due, behind the last one of the turn and around, for a batch of
   limit rows. It locks nothing. An empty plan where the batch is to be oldest first, or turn is
   NULL. Nobody is to wait for fairness longer than for mail: after a search that took more than
   100 ms, because a backup keeps the server from removing what has left, there is no other one for
   ten times as long. */
bool store_turn_plan(struct db *db, enum store_turn_queue queue, struct store_turn *turn,
    gint64 now, guint limit, struct store_turn_plan *plan_r, GError **error);

/* Inside a transaction: runs share for each share (workspace, least and greatest time, number of
   rows), and heads for all the others (TURN_HEAD_IDS keys, the time up to which they are due).
   *count_r: how many results, at most TURN_RESULTS, stand in rows_r; the caller frees them. */
#define TURN_RESULTS (TURN_SHARES + 1)
bool store_turn_select(struct db *db, const struct store_turn_plan *plan, gint64 now,
    const char *share, const char *heads, struct db_rows **rows_r, guint *count_r, GError **error);

/* Once a batch that was claimed by this plan is ours: moves on. full: the oldest rows have filled
   what the plan left of it; last is the workspace of the last of them, NULL where there is none. */
void store_turn_end(struct store_turn *turn, const struct store_turn_plan *plan, bool full,
    const struct base_id *last);

#endif
