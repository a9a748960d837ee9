/* SPDX-License-Identifier: MIT */
#ifndef SPOOL_WORKER_H
#define SPOOL_WORKER_H

#include <glib.h>

struct base_settings;

struct spool_worker_plan {
	const struct base_settings *settings;
	gint64 until;  /* on base_clock_boot: no message is begun after it; 0 = no end */
	gboolean once; /* ends when nothing is due any more */
};

/* Blocks SIGTERM and SIGINT, for a process that will be a worker or start some: nothing that they
   do is interrupted, and they look for them. */
void spool_worker_block_signals(void);

/* Delivers what is due until the plan ends it, after the message in hand, or one of those signals,
   at once but for a relay's answer that is awaited. Returns an exit status. */
int spool_worker_run(const struct spool_worker_plan *plan);

#endif
