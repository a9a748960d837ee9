/* SPDX-License-Identifier: MIT */
/* Times on the clocks of people. */
#ifndef BROADCAST_CLOCK_H
#define BROADCAST_CLOCK_H

#include <glib.h>

/* When the clock of a zone shows a local time, YYYY-MM-DDTHH:MM, in epoch ms: as much later if it
   skips that time, the first time if it has it twice. otherwise: in place of a zone that is not
   known; UTC if that is none either. 0 for a text that is no time. */
gint64 broadcast_clock_moment(const char *local_time, const char *zone, const char *otherwise);

#endif
