/* SPDX-License-Identifier: MIT */
/* Turns of the processes of a pool: so many at most do something at the same time. */
#ifndef PROCESS_TURNS_H
#define PROCESS_TURNS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* Shared by the process that makes it and its children. */
struct process_turns;

/* Makes count turns, before so many processes, the children that share them, are started. NULL when
   there is no memory for them. The caller frees the result. */
struct process_turns *process_turns_new(guint count, guint processes);
void process_turns_free(struct process_turns *turns);
DEFINE_AUTO(process_turns, process_turns_free)

#define PROCESS_TURNS_NONE (-1)
#define PROCESS_TURNS_LONGEST 5
#define PROCESS_TURNS_REST_US 500 /* one that has nothing to do for so long rests */

/* Takes whichever turn is free first: its number, or PROCESS_TURNS_NONE when none became free, or
   turns is NULL. Waits for ms at most until one is given back, and as long again for the next one
   where another process was faster, PROCESS_TURNS_LONGEST times ms in all. Does not wait at all
   when a process has waited for ms or longer, and none was given back since. The turn of a process
   that ends is free again; a process that waits already notices that at the end of its wait. */
int process_turns_take(struct process_turns *turns, gint64 ms);

/* Notes that a process, 0 or above and below the number that turns were made for, has nothing to do
   from now on, or something. Work that comes goes to one that rests, so nobody who waits for a turn
   finds more of it then. A process that looks for work, and finds some at once, does not rest:
   only one that has nothing to do for PROCESS_TURNS_REST_US. Does nothing when turns is NULL. */
void process_turns_rest(struct process_turns *turns, guint process, bool rests);

/* Gives a turn back; does nothing for PROCESS_TURNS_NONE. */
void process_turns_end(struct process_turns *turns, int turn);

#endif
