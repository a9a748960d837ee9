/* SPDX-License-Identifier: MIT */
/* A fixture with a domain whose DNS server the test runs. A failure fails the test. */
#ifndef TESTS_CORE_SCENE_H
#define TESTS_CORE_SCENE_H

#include "store/common/turn.h"
#include "tests/lib/fixture.h"
#include "tests/support/nsd.h"

#define MINUTE ((gint64)60 * 1000)
#define HOUR (60 * MINUTE)
/* When the clock starts. */
#define SOME_TIME ((gint64)1800000000000)

struct scene {
	struct test_nsd *nsd;
	struct fixture *fixture;
	struct base_id id; /* of the domain */
	const char *zone;  /* the zone of the domain */
	const char *name;
	struct store_domain *domain; /* as last read */
	GPtrArray *records;
	struct store_turn turn; /* of the worker that checks due domains */
	guint troubles;		/* number of results that could not be stored */
};

/* Registers the domain, in the zone example.org unless the test sets another. The test is skipped
   if NSD is not installed. */
struct scene *scene_open(const char *name, bool trusted);
void scene_close(struct scene *scene);
DEFINE_AUTO(scene, scene_close)

/* Reads domain and records anew. */
void scene_read(struct scene *scene);

/* Publishes a zone with the records that the domain needs, as we print them, except those with the
   text without in their line (NULL: all), and with more lines. */
void scene_publish(struct scene *scene, const char *without, const char *more);

/* Checks the domain now. */
void scene_check(struct scene *scene);

/* Sets the clock, and checks all domains that are due. Returns the number of checks. */
guint scene_check_due(struct scene *scene, gint64 at);

/* The status, the error, then the state of each record: "SUCCESS - found found ...". The caller
   frees it. */
char *scene_summary(const struct scene *scene);

/* Expects the summary want; name is the case's. */
void scene_expect(const struct scene *scene, const char *name, const char *want);

#endif
