/* SPDX-License-Identifier: MIT */
/* Requests that are to be stored for their workspaces (store/call.h): after their replies, many in
   one statement. */
#ifndef CORE_CALLS_H
#define CORE_CALLS_H

#include <glib.h>

struct core;
struct store_call;

/* Has a request stored a second later at most; the core owns it from now on. A workspace that has
   LIMIT_CALLS_WAITING waiting gets no more in that time, and a process that is killed loses those
   that wait. */
void core_calls_add(struct core *core, struct store_call *call);

/* The time that they may still wait, in ms; -1 when none waits. */
gint64 core_calls_patience(const struct core *core);

/* Stores all that wait, and removes some of those that are too many. Nobody waits for the result,
   so a failure is only logged. */
void core_calls_flush(struct core *core);

#endif
