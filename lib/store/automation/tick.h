/* SPDX-License-Identifier: MIT */
/* The ticks of schedules that start workflows. Errors are those of db/statement.h. */
#ifndef STORE_AUTOMATION_TICK_H
#define STORE_AUTOMATION_TICK_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* The schedule of an active workflow. */
struct store_tick {
	struct base_id workflow_id, workspace_id;
	guint version;	/* the design that has it */
	gint64 next_at; /* the next tick, epoch ms */
};

/* Inside a transaction that has locked the workflow: stores its schedule, or replaces it. */
bool store_tick_set(struct db *db, const struct store_tick *schedule, GError **error);

/* Likewise: reads it. *found_r: there is one. */
bool store_tick_get(struct db *db, const struct base_id *workflow, struct store_tick *schedule_r,
    bool *found_r, GError **error);

/* Likewise: removes it. */
bool store_tick_clear(struct db *db, const struct base_id *workflow, GError **error);

/* The schedules with a tick that is due at now, at most limit, as an array of struct
   store_schedule. The caller owns it. */
GArray *store_tick_due(struct db *db, gint64 now, guint limit, GError **error);

/* Inside a transaction that has locked the workflow: moves a schedule to its next tick; *moved_r:
   no other process had done so. */
bool store_tick_move(
    struct db *db, const struct store_tick *schedule, gint64 next, bool *moved_r, GError **error);

/* Inside such a transaction: whether a start of the workflow by a tick is not over. */
bool store_tick_runs(
    struct db *db, const struct store_tick *schedule, bool *runs_r, GError **error);

/* Inside such a transaction: notes that a workflow takes in the people of a segment; *first_r: it
   has not done so before. */
bool store_tick_include(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *segment, bool *first_r, GError **error);

#endif
