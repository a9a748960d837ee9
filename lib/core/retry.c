/* The retry schedule of temporary failures. */
#include "core/retry.h"

#define MINUTE ((gint64)60 * 1000)
#define HOUR (60 * MINUTE)

static const gint64 delays[] = {
    MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR};

gint64
core_retry_at(guint attempts, gint64 since, gint64 now, double jitter)
{
	gint64 delay = delays[CLAMP(attempts, 1, G_N_ELEMENTS(delays)) - 1];
	gint64 at = now + delay + (gint64)((double)delay * jitter / 10);

	return at - since > 48 * HOUR ? 0 : at;
}

gboolean
core_retry_tells(gint64 last, gint64 now)
{
	return last == 0 || now - last >= 4 * HOUR;
}
