/* SPDX-License-Identifier: MIT */
/* A database with our schema for one test, and short forms of common steps. A failure to make it
   fails the test. */
#ifndef TESTS_STORE_PLACE_H
#define TESTS_STORE_PLACE_H

#include <criterion/criterion.h>
#include <glib.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/id.h"
#include "base/scope.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "tests/support/db.h"

struct place {
	struct config_settings *settings;
	struct db *db;
	struct base_id workspace, other; /* two workspaces */
};

struct place *place_open(void);
void place_close(struct place *place);
DEFINE_AUTO(place, place_close)

/* A suite whose tests each have a place of their own. */
#define PLACE_SUITE(name)                                                                          \
	static struct place *place;                                                                \
	static void begin(void)                                                                    \
	{                                                                                          \
		place = place_open();                                                              \
	}                                                                                          \
	static void end(void)                                                                      \
	{                                                                                          \
		place_close(place);                                                                \
	}                                                                                          \
	TestSuite(name, .init = begin, .fini = end)

/* The call, which takes &error, must be true. */
#define MUST(call)                                                                                 \
	do {                                                                                       \
		g_autoptr(GError) error = NULL;                                                    \
		cr_assert((call), "%s: %s", #call, error ? error->message : "no error");           \
	} while (0)

/* The result of the call, which takes &error; it must not be NULL. */
#define MUST_GIVE(call)                                                                            \
	({                                                                                         \
		g_autoptr(GError) error = NULL;                                                    \
		__auto_type given = (call);                                                        \
		cr_assert(given, "%s: %s", #call, error ? error->message : "no error");            \
		given;                                                                             \
	})

/* The call, which takes &error, must return false or NULL with this code of PH_ERROR. */
#define MUST_FAIL(call, wanted)                                                                    \
	do {                                                                                       \
		g_autoptr(GError) error = NULL;                                                    \
		cr_assert(!(call), "%s: got success", #call);                                      \
		cr_assert(g_error_matches(error, PH_ERROR, wanted), "%s: got %d \"%s\", want %s",  \
		    #call, error ? error->code : -1, error ? error->message : "", #wanted);        \
	} while (0)

/* The first number that a query gives. */
gint64 place_number(struct place *place, const char *sql);

/* The number of rows that the server has read and sorted for this connection since the last
   call, without those of the call itself. */
struct place_work {
	gint64 read, sorted;
};
struct place_work place_work(struct place *place);

/* Another connection, which never waits for a lock. */
struct db *place_impatient(struct place *place);

/* Content of size bytes that differs for each seed. */
GBytes *place_bytes(gsize size, guint seed);

#endif
