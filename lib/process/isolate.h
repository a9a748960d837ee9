/* SPDX-License-Identifier: MIT */
/* Work in a child process with limits on memory and time, so that it cannot take the parent
   along. */
#ifndef PROCESS_ISOLATE_H
#define PROCESS_ISOLATE_H

#include <glib.h>
#include <stdbool.h>

#include "base/limits/process.h"

/* Work that has killed processes before and is therefore done in a child process. */
struct process_isolate {
	const char *what; /* the beginning of the error sentence: "The message could not be
			     composed" */
	/* Runs in the child. Returns the result for the parent, or NULL with error set. */
	GBytes *(*work)(void *context, GError **error);
	void (*tick)(void *context); /* runs in the parent every few milliseconds; or NULL */
	void *context;		     /* for work and tick */
	gint64 ms;		     /* limit on the elapsed time */
	guint cpu_s;		     /* limit on the processor time */
	gsize bytes;		     /* limit on the memory, beyond the parent's address space */
	bool finishes;		     /* a signal that stops this process does not end the work */
};

/* The limits for the work of a workflow or an email. */
#define APART_LIMITS .ms = LIMIT_APART_MS, .cpu_s = LIMIT_APART_CPU_S, .bytes = LIMIT_APART_BYTES

/* Runs the work in a child and waits for its result, which the caller owns. The calling process
   must have only one thread. The child has a copy of the parent's memory but none of its files, so
   it opens its own database connection. Errors: the error of the work itself; TOO_LARGE when the
   child died or exceeded a limit; TEMPORARY when no child could be started, or when this process is
   to stop (SIGTERM or SIGINT is blocked and pending), which also ends the child, unless the work
   finishes. */
GBytes *process_isolate(const struct process_isolate *apart, GError **error);

#endif
