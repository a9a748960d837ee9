/* SPDX-License-Identifier: MIT */
/* How fast claims are: claims batches of 100 rows of the outbox, and prints how many it does in a
 * second. Usage: claim SETTINGS BATCHES */
#include <stdio.h>
#include <stdlib.h>

#include "base/settings.h"
#include "db/connection.h"
#include "store/outbox.h"

#define BATCH 100

static enum store_outbox_takeover
ask(const char *owner, void *context)
{
	return TAKEOVER_WAIT;
}

int
main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	struct store_outbox_claim claim = {"bench", 1, 4000000000000};
	struct store_turn turn = {.next = false};
	struct store_outbox_search search = {
	    .now = 3000000000000, .limit = BATCH, .ask = ask, .turn = &turn};
	struct store_outbox_entry copies[BATCH];
	guint count;

	if (argc != 3)
		return 64;
	AUTO(base_settings) settings = base_settings_load(argv[1], &error);
	AUTO(db) db = settings ? db_open(settings, &error) : NULL;
	gint64 begin = g_get_monotonic_time();
	for (int i = 0; db && i < atoi(argv[2]); i++) {
		if (!store_outbox_claim(db, &claim, &search, copies, &count, &error) ||
		    count != BATCH)
			break;
		if (turn.next)
			search.low = copies[BATCH - 1].ready_at;
	}
	if (error) {
		fprintf(stderr, "claim: %s\n", error->message);
		return 1;
	}
	printf("%.1f\n", atof(argv[2]) * 1e6 / (double)(g_get_monotonic_time() - begin));
	return 0;
}
