/* SPDX-License-Identifier: MIT */
/* One worker process of the spool. */
#ifndef SPOOL_WORKER_H
#define SPOOL_WORKER_H

#include <glib.h>

struct config_settings;

struct spool_worker_plan {
	const struct config_settings *settings;
	gint64 until;  /* on base_clock_boot, ms: begin no message after it; 0 = no end */
	gboolean once; /* end when nothing is due any more */
};

/* Blocks SIGTERM and SIGINT. To be called in the process that runs a worker or forks workers: the
   signals then interrupt nothing, and the worker checks whether one is pending. */
void spool_worker_block_signals(void);

/* Delivers due emails, steps workflows and checks domains until the plan ends or a signal is
   pending. After the plan's end the message in hand is still completed; after a signal the worker
   ends at once, except that it waits for the relay's answer to a message already sent. Returns an
   exit status (sysexits.h). */
int spool_worker_run(const struct spool_worker_plan *plan);

#endif
