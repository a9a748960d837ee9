#ifndef SPOOL_WORKER_H
#define SPOOL_WORKER_H

#include <glib.h>

struct settings;

struct worker_plan {
	const struct settings *settings;
	gint64 until;  /* on base_clock_boot: nothing new is begun after it; 0 = no end */
	gboolean once; /* ends when nothing is due any more */
};

/* Delivers what is due until the plan or a signal ends it. Returns an exit status. */
int worker_run(const struct worker_plan *plan);

/* From a signal handler: ends it after the messages in hand. */
void worker_stop(void);

#endif
