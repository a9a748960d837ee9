/* SPDX-License-Identifier: MIT */
/* A group of child processes: started, replaced when one ends, and ended together. */
#ifndef PROCESS_POOL_H
#define PROCESS_POOL_H

#include <glib.h>
#include <stdbool.h>

/* A group of child processes that all run the same function. */
struct process_pool {
	guint count;
	bool keep; /* replace a child that ends: at once, or, if it failed within a second, after a
		      pause that grows to 30 s while children keep failing */
	int (*serve)(guint number, void *context); /* runs in child 0 to count - 1 and returns its
						      exit status */
	void *context;
	void (*report)(const char *text); /* receives a sentence about each child that failed */
	void (*ending)(void *context); /* runs before the pool's end is told to the children; NULL:
					  nothing does */
};

/* Runs the children and waits for their end. SIGTERM, SIGINT and SIGUSR1 end the pool: each child
   then gets SIGTERM. If keep is false, the pool also ends when all children have ended. Each child
   starts with the caller's signal mask, and gets SIGTERM if this process dies. Returns the highest
   exit status of the children that were not replaced: EX_SOFTWARE for a child that a signal ended,
   EX_OSERR for one that could not be started. */
int process_pool_run(const struct process_pool *pool);

#endif
