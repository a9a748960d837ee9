/* SPDX-License-Identifier: MIT */
/* When a webhook is tried again. Uses no clock. Times are epoch ms, spans ms. */
#ifndef WEBHOOK_SCHEDULE_H
#define WEBHOOK_SCHEDULE_H

#include <glib.h>

/* A webhook rests after so many failed attempts in a row. */
#define WEBHOOK_FAILURES 5

/* A webhook is switched off that has only failed for so long. */
#define WEBHOOK_FAILING_MS ((gint64)5 * 24 * 60 * 60 * 1000)

/* The time of the next attempt of a delivery that has had this many (from 1), the last one of which
   ended then: the delay of the schedule, and 0 to 10 % more. 0: it has had the last one. */
gint64 webhook_next_attempt(guint attempts, gint64 ended);

/* The time that a webhook rests after so many failed attempts in a row; 0: it does not. */
gint64 webhook_rest(guint failures);

#endif
