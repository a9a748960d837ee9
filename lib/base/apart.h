/* SPDX-License-Identifier: MIT */
#ifndef BASE_APART_H
#define BASE_APART_H

#include <glib.h>

/* A piece of work that has killed processes, for a process of its own. */
struct base_apart {
	const char *what; /* begins the sentence that says why it failed: "The message could not be
			     composed" */
	/* Runs in the child. Gives what the parent gets, or NULL with error set. */
	GBytes *(*work)(void *context, GError **error);
	void (*tick)(void *context); /* runs in the parent now and then meanwhile; or NULL */
	void *context;		     /* of both */
	gint64 ms;		     /* how long it may take, */
	guint cpu_s;		     /* how much processor time, */
	gsize bytes;		     /* and how much memory, besides what this process has now */
};

/* The limits that the work of a workflow or an email has. */
#define APART_LIMITS .ms = LIMIT_APART_MS, .cpu_s = LIMIT_APART_CPU_S, .bytes = LIMIT_APART_BYTES

/* Does it in a child, and waits. The calling process must have no other thread. The child has a
   copy of this process's memory and none of its files: it opens its own database connection. The
   caller owns what comes back. Errors: the child's own; TOO_LARGE when the child did not survive it
   or took too long; TEMPORARY when no child could be started, or when this process has been told to
   stop (SIGTERM or SIGINT is blocked and pending), which ends the child. */
GBytes *base_apart(const struct base_apart *apart, GError **error);

#endif
