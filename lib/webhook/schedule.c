/* SPDX-License-Identifier: MIT */
/* Tells when a webhook is tried again. */
#include "webhook/schedule.h"

#define SECOND ((gint64)1000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

#define REST MINUTE
#define LONGEST_REST (15 * MINUTE)

static const gint64 delays[] = {5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR,
    10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR};

gint64
webhook_next_attempt(guint attempts, gint64 ended)
{
	if (attempts > G_N_ELEMENTS(delays))
		return 0;
	gint64 delay = delays[MAX(attempts, 1) - 1];

	return ended + delay + g_random_int_range(0, (gint32)(delay / 10) + 1);
}

gint64
webhook_rest(guint failures)
{
	if (failures < WEBHOOK_FAILURES)
		return 0;
	return MIN(REST << MIN(failures - WEBHOOK_FAILURES, 10), LONGEST_REST);
}
