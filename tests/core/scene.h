/* SPDX-License-Identifier: MIT */
/* A world with a domain, whose DNS is a server of the test's; what goes wrong in it fails the test.
 */
#ifndef TESTS_CORE_SCENE_H
#define TESTS_CORE_SCENE_H

#include "store/turn.h"
#include "tests/core/world.h"
#include "tests/support/nsd.h"

#define MINUTE ((gint64)60 * 1000)
#define HOUR (60 * MINUTE)
/* When the clock starts. */
#define SOME_TIME ((gint64)1800000000000)

struct scene {
	struct test_nsd *nsd;
	struct world *world;
	struct base_id id; /* of the domain */
	const char *zone;  /* that it lies in */
	const char *name;
	struct store_domain *domain; /* as it was read last */
	GPtrArray *records;
	struct store_turn turn; /* of those who check what is due */
	guint troubles;		/* that this has met */
};

/* Registers the domain, of zone example.org until the test says another. Without NSD the test is
   skipped. */
struct scene *scene_open(const char *name, bool trusted);
void scene_close(struct scene *scene);
DEFINE_AUTO(scene, scene_close)

/* Reads domain and records anew. */
void scene_read(struct scene *scene);

/* Makes the zone of all that the domain needs, as we print it, but for records with this text in
   their line (NULL: all of it), and of more lines. */
void scene_publish(struct scene *scene, const char *without, const char *more);

/* Checks the domain now. */
void scene_check(struct scene *scene);

/* Sets the clock, and checks all that is due then: how many checks that were. */
guint scene_check_due(struct scene *scene, gint64 at);

/* The status, the error, then the state of each record: "SUCCESS - found found ...". The caller
   frees it. */
char *scene_summary(const struct scene *scene);

/* That the summary is want; name is of the case. */
void scene_expect(const struct scene *scene, const char *name, const char *want);

#endif
