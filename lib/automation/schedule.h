/* SPDX-License-Identifier: MIT */
/* The starts that nobody asks for: those of ticks of schedules, and of segments. */
#ifndef AUTOMATION_SCHEDULE_H
#define AUTOMATION_SCHEDULE_H

#include <glib.h>
#include <stdbool.h>

struct automation_node_schedule;
struct db;
struct store_start;
struct store_tick;

/* The latest tick of a schedule up to now, whose next one has passed, and the first one behind it
   (0: there is none). */
gint64 automation_schedule_latest(const struct store_tick *schedule,
    const struct automation_node_schedule *plan, gint64 now, gint64 *next_r);

/* Inside a transaction: stores a start that comes by itself, and has it counted. Errors as of
   store_start_insert. */
bool automation_schedule_store(struct db *db, const struct store_start *start, GError **error);

/* Inside a transaction that has locked the workflow: stores the start of a tick, which is skipped
   while the start of an earlier one is not over. Errors as of store_start_insert. */
bool automation_schedule_start(struct db *db, const struct store_tick *schedule,
    const struct automation_node_schedule *plan, gint64 tick, gint64 now, GError **error);

#endif
