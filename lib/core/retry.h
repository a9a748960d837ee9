/* SPDX-License-Identifier: MIT */
#ifndef CORE_RETRY_H
#define CORE_RETRY_H

#include <glib.h>
#include <stdbool.h>

/* When a message whose attempt number attempts (from 1) failed for now is due again: 1, 5, 15, 30
   minutes, 1, 2, 4 hours later, then every 8 hours, each moved by jitter (-1 to 1) times a tenth. 0
   when that would be more than 48 hours after since: it is given up. attempts 0: nothing could be
   attempted; a minute later, moved and bounded likewise. Times are epoch ms. */
gint64 core_retry_at(guint attempts, gint64 since, gint64 now, double jitter);

/* Whether a delayed event is due: the first at once, then at most one in 4 hours. last: the one
 * before, 0 = none. */
bool core_retry_tells(gint64 last, gint64 now);

#endif
