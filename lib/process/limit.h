/* SPDX-License-Identifier: MIT */
/* For this room: limits of a child process. */
#ifndef PROCESS_LIMIT_H
#define PROCESS_LIMIT_H

#include <glib.h>

/* Limits this process: seconds of processor time (0: no limit), and bytes of memory beyond those
   that it has now. It leaves no core. */
void process_limit(guint cpu_s, gsize bytes);

#endif
