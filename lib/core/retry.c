/* SPDX-License-Identifier: MIT */
/* The retry schedule of temporary failures. */
#include "core/retry.h"

#define MINUTE ((gint64)60 * 1000)
#define HOUR (60 * MINUTE)
#define GIVE_UP (48 * HOUR)
#define TELL_AGAIN (4 * HOUR)

/* By the number of attempts made; the last stands for all further ones. */
static const gint64 delays[] = {
    MINUTE, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR};

gint64
core_retry_at(guint attempts, gint64 since, gint64 now, double jitter)
{
	gint64 delay = delays[MIN(attempts, G_N_ELEMENTS(delays) - 1)];
	gint64 at = now + delay + (gint64)((double)delay * jitter / 10);

	return at - since > GIVE_UP ? 0 : at;
}

bool
core_retry_tells(gint64 last, gint64 now)
{
	return last == 0 || now - last >= TELL_AGAIN;
}
