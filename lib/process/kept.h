/* SPDX-License-Identifier: MIT */
/* Work in a child process that is kept for the next work of its kind, since a new child for each
   would take longer than short work does. process/isolate.h is for work that comes alone.

   1. The first work starts the child. It has a copy of the parent's memory, but no files, and
      limits on memory and time.
   2. Each work is given to it as bytes, and gives bytes back. Between two works it has nothing but
      what its memory keeps of the earlier ones.
   3. So works of two owners never meet: the child of one is ended before the work of another. It is
      also ended after a while without work, and after some number of works.
   4. A child that dies, or is late, fails that one work, and the next one gets a new child. Where
      it had done others before, they may be why it died, so a new child tries once more. */
#ifndef PROCESS_KEPT_H
#define PROCESS_KEPT_H

#include <glib.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "base/id.h"
#include "base/scope.h"

struct process_kept_kind {
	const char *what; /* the beginning of the error sentence: "The message could not be read" */
	/* Runs in the child once, before it is given anything; NULL: nothing to do. */
	bool (*begin)(void *context, GError **error);
	/* Runs in the child. Returns the result for the parent. */
	GBytes *(*work)(const void *data, gsize size);
	gint64 ms;	   /* limit on the elapsed time of a work */
	gsize bytes;	   /* limit on the memory, beyond the parent's address space */
	gsize result_most; /* limit on the size of a result */
	guint works;	   /* so many are done before the child is ended */
	guint idle_s;	   /* so long it waits for the next work */
};

struct process_kept;

/* Starts no child yet. kind and context live longer than the result, which the caller frees; that
   ends the child. */
struct process_kept *process_kept_new(const struct process_kept_kind *kind, void *context);
void process_kept_free(struct process_kept *kept);
DEFINE_AUTO(process_kept, process_kept_free)

/* Has the child do a work, whose data are these parts one behind the other, and waits for its
   result, which the caller owns. The calling process must have only one thread. It is not ended by
   a signal that stops this process. Errors: TOO_LARGE when the child died or exceeded a limit;
   TEMPORARY when no child could be started, or could begin. */
GBytes *process_kept_do(struct process_kept *kept, const struct base_id *owner,
    const struct iovec *parts, guint count, GError **error);

#endif
