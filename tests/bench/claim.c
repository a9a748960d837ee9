/* SPDX-License-Identifier: MIT */
/* How fast claims are: claims batches of 100 rows of the outbox, and prints how many it does in a
 * second, for each database. Usage: claim BATCHES SETTINGS... */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "config/settings.h"
#include "db/connection.h"
#include "store/outbox/outbox.h"

#define BATCH 100
#define WARM 4 /* batches that are not counted: statements are prepared, pages are read */
#define PLACES 2

/* A database, and the searches in it as posthouse-spool does them. */
struct place {
	struct config_settings *settings;
	struct db *db;
	struct store_turn turn;
	gint64 low, taken; /* µs */
};

static enum store_outbox_takeover
claim_ask(const char *owner, void *context)
{
	return TAKEOVER_WAIT;
}

static bool
claim_enter(struct place *place, const char *path, GError **error)
{
	place->settings = config_settings_load(path, error);
	place->db = place->settings ? db_open(place->settings, error) : NULL;
	return place->db;
}

static void
claim_leave(struct place *place)
{
	db_close(place->db);
	config_settings_free(place->settings);
}

static bool
claim(struct place *place, GError **error)
{
	const struct store_outbox_claim claim = {"bench", 1, 4000000000000};
	struct store_outbox_search search = {.low = place->low,
	    .now = 3000000000000,
	    .limit = BATCH,
	    .ask = claim_ask,
	    .turn = &place->turn};
	struct store_outbox_entry copies[BATCH];
	bool takes_turns = place->turn.next;
	gint64 begin = g_get_monotonic_time();
	guint count;

	if (!store_outbox_claim(place->db, &claim, &search, copies, &count, error))
		return false;
	place->taken += g_get_monotonic_time() - begin;
	if (count < BATCH)
		return base_fail(error, PH_ERROR_FAILED, "only %u rows were left", count);
	if (!takes_turns)
		place->low = copies[BATCH - 1].due_at;
	return true;
}

/* Two batches here and two there, of which one is by turns, so that a busy moment falls on all. */
static bool
bench_claim_claim_all(struct place *places, guint count, int batches, GError **error)
{
	for (int i = -WARM; i < batches; i += 2)
		for (guint j = 0; j < count; j++) {
			if (i == 0)
				places[j].taken = 0;
			if (!claim(&places[j], error) || !claim(&places[j], error))
				return false;
		}
	return true;
}

int
main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	struct place places[PLACES] = {{.low = 0}};
	guint count = (guint)argc - 2;
	int batches = argc > 2 ? atoi(argv[1]) : 0;
	bool done = true;

	if (batches < 2 || batches % 2 != 0 || count > PLACES)
		return 64;
	for (guint i = 0; done && i < count; i++)
		done = claim_enter(&places[i], argv[2 + i], &error);
	done = done && bench_claim_claim_all(places, count, batches, &error);
	if (!done)
		fprintf(stderr, "claim: %s\n", error->message);
	for (guint i = 0; done && i < count; i++)
		printf("%.1f\n", batches * 1e6 / (double)places[i].taken);
	for (guint i = 0; i < count; i++)
		claim_leave(&places[i]);
	return done ? 0 : 1;
}
