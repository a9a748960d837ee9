/* SPDX-License-Identifier: MIT */
/* Fair claims from a queue that all workspaces share: workspaces take turns when one of them fills
   the queue. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_COMMON_TURN_H
#define STORE_COMMON_TURN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "db/statement.h"

struct db;

/* A batch by turns gives a share of its rows to each of TURN_SHARES workspaces, and one row to each
   of the TURN_HEADS that follow. Few shares are large ones: a statement and the rows of one
   workspace cost less together; and each head costs a search. If the oldest rows belong to many
   workspaces alike, nobody needs a share: TURN_HEADS of them get one row each. */
#define TURN_SHARES 2
#define TURN_HEADS 10
#define TURN_HEAD_IDS DB_MARKS_10
#define TURN_HEAD_PAIRS DB_PAIRS_10
#define TURN_MAX (TURN_SHARES + TURN_HEADS)

/* TURN_BULK: the part of the outbox that is of broadcasts. */
enum store_turn_queue { TURN_OUTBOX, TURN_BULK, TURN_EXECUTION, TURN_DOMAIN_CHECK };

/* A worker's place in the round of the workspaces; all zero at first.
   1. Batches are claimed oldest first as long as they take all due rows.
   2. After a full batch comes a batch by turns.
   3. After that comes a batch that is oldest first again.
   So a due row leaves with one of the next two batches, and the oldest rows never wait for long. */
struct store_turn {
	struct base_id last;  /* the workspace that had the last share; where there are none, the
				 last row */
	struct base_id heavy; /* the workspace of the last row of the last full batch: the next
				 oldest rows are most likely its own, so it needs no turn */
	bool even;	      /* no workspace had many rows of that batch */
	bool next;	      /* the next batch is by turns */
	bool dear;	      /* the last search took long */
	gint64 rest;	      /* no turns until then, on base_clock_boot */
};

/* The workspaces whose turn it is; the first of them have shares of so many rows. */
struct store_turn_plan {
	struct store_turn_head {
		struct base_id workspace_id;
		/* The key of its first due row; of the outbox its email, then its id. */
		struct base_id row[2];
		gint64 due; /* and the time since when that row is due */
	} heads[TURN_MAX];
	guint count, shares, share;
};

/* A batch that is claimed by turns: limit rows that are due between low and now. */
struct store_turn_search {
	enum store_turn_queue queue;
	struct store_turn *turn; /* NULL: the batch is oldest first */
	gint64 low, now;
	guint limit;
	const char *share; /* for a share: takes the workspace, the least time, the greatest time
			      twice (that of the turn, and that up to which rows are due), and
			      the number of rows */
	const char *heads; /* for all others: takes TURN_HEAD_IDS keys, of the outbox
			      TURN_HEAD_PAIRS, and the time up to which rows are due */
};

/* Finds workspaces that have rows due between low and now, from behind the last one of the turn
   around, for a batch. A low of 0 finds all; a greater one spares the server the
   rows that were claimed before, which it keeps for a while in front of the others. Inside a
   transaction: locks the rows that it finds, and passes over those that others have locked.
   Gives an empty plan when the batch is to be oldest first, or turn is NULL. After two searches in
   a row that take more than 100 ms (a backup keeps the server from purging removed rows) there is
   none for ten times as long, so that fairness delays no mail. On a busy machine a single one may
   take so long by chance. */
bool store_turn_plan(struct db *db, const struct store_turn_search *search,
    struct store_turn_plan *plan_r, GError **error);

/* Inside a transaction: runs the statement of a share for each of them, and that of the heads.
 *count_r: the number of results in rows_r, at most TURN_RESULTS; the caller frees them. */
#define TURN_RESULTS (TURN_SHARES + 1)
bool store_turn_select(struct db *db, const struct store_turn_search *search,
    const struct store_turn_plan *plan, struct db_rows **rows_r, guint *count_r, GError **error);

/* Moves the turn on, once the batch of this plan is committed. full: the oldest rows filled the
   rest of the batch. heavy: the workspace of the last of them; NULL if it has few of them, so that
   no workspace fills the queue. */
void store_turn_end(struct store_turn *turn, const struct store_turn_plan *plan, bool full,
    const struct base_id *heavy);

#endif
