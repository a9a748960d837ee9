/* SPDX-License-Identifier: MIT */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <glib.h>
#include <stdbool.h>

/* A number of processes that do the same. */
struct base_pool {
	guint count;
	bool keep; /* one that ends is replaced: at once, or where it failed within a second, after
		      a pause, which grows to 30 s while they go on like that */
	int (*serve)(guint number, void *context); /* what child number 0 to count - 1 does; what it
						      returns is its exit status */
	void *context;
	void (*report)(const char *text); /* is told in a sentence of a child that went wrong */
};

/* Runs them until SIGTERM, SIGINT or SIGUSR1, which they get as SIGTERM, or until all have ended
   where they are not kept; waits for them. Each starts with the caller's signal mask. A child gets
   SIGTERM too when its pool ends in any other way. Returns the highest exit status of those that
   were not replaced: EX_SOFTWARE for one that a signal ended, EX_OSERR for one that could not be
   started. */
int base_pool_run(const struct base_pool *pool);

#endif
