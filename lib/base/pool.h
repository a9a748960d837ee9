#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <glib.h>
#include <stdbool.h>

/* A number of processes that do the same. */
struct pool {
	guint count;
	bool keep; /* one that ends is replaced, after a pause that grows where they end at once */
	int (*serve)(
	    guint number, void *context); /* what a child does, from 0 to count; its exit status */
	void *context;
	void (*report)(const char *text); /* is told in a sentence of a child that went wrong */
};

/* Runs them until SIGTERM, SIGINT or SIGUSR1, which they get as SIGTERM, or until all have ended
   where they are not kept; waits for them. A child ends with its pool, whatever ends that. Returns
   the highest exit status of those that were not replaced. */
int base_pool_run(const struct pool *pool);

#endif
