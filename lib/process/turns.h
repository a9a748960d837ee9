/* SPDX-License-Identifier: MIT */
/* Turns of the processes of a pool: so many at most do something at the same time. */
#ifndef PROCESS_TURNS_H
#define PROCESS_TURNS_H

#include <glib.h>

#include "base/scope.h"

/* Shared by the process that makes it and its children. */
struct process_turns;

/* Makes count turns, before children are started. NULL when there is no memory for them. The caller
   frees the result. */
struct process_turns *process_turns_new(guint count);
void process_turns_free(struct process_turns *turns);
DEFINE_AUTO(process_turns, process_turns_free)

#define PROCESS_TURNS_NONE (-1)
#define PROCESS_TURNS_LONGEST 5

/* Takes whichever turn is free first: its number, or PROCESS_TURNS_NONE when none became free, or
   turns is NULL. Waits for ms at most until one is given back, and as long again for the next one
   where another process was faster, PROCESS_TURNS_LONGEST times ms in all. Does not wait at all
   when a process has waited for ms or longer, and none was given back since. The turn of a process
   that ends is free again; a process that waits already notices that at the end of its wait. */
int process_turns_take(struct process_turns *turns, gint64 ms);

/* Gives a turn back; does nothing for PROCESS_TURNS_NONE. */
void process_turns_end(struct process_turns *turns, int turn);

#endif
