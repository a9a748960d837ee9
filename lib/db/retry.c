/* SPDX-License-Identifier: MIT */
/* Runs a transaction again that the server has rolled back. */
#include "db/retry.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/handle.h"

#define TRIES 10
#define TRY_MS 10000
#define PAUSE_MS 4 /* the longest pause before the second try; doubled for each further try */
#define LONG_PAUSE_MS 500

/* The pause is random, so that two conflicting processes do not conflict again. */
static void
pause_before(guint try)
{
	gint64 limit = MIN((gint64)PAUSE_MS << (try - 1), LONG_PAUSE_MS);

	g_usleep((gulong)g_random_int_range(0, (gint32)limit * 1000));
}

bool
db_retry(struct db *db, bool (*run)(struct db *db, void *context, GError **error), void *context,
    GError **error)
{
	gint64 end = base_clock_boot() + TRY_MS;

	g_assert(!db->on->in_transaction);
	for (guint try = 1;; try++) {
		g_autoptr(GError) failure = NULL;

		if (run(db, context, &failure))
			return true;
		bool passes = g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) &&
			      db_failure_passes(&db->on->failure);
		if (!passes || try == TRIES || base_clock_boot() >= end) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		pause_before(try);
	}
}
