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

/* Takes whichever turn is free first, waiting for ms at most: its number, or PROCESS_TURNS_NONE
   when none became free, or turns is NULL. The turn of a process that ends is free again. */
int process_turns_take(struct process_turns *turns, gint64 ms);

/* Gives a turn back; does nothing for PROCESS_TURNS_NONE. */
void process_turns_end(struct process_turns *turns, int turn);

#endif
