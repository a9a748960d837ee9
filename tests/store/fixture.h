/* SPDX-License-Identifier: MIT */
/* A database with our schema for one test, and short forms of common steps. A failure to make it
   fails the test. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include <criterion/criterion.h>
#include <glib.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/id.h"
#include "base/scope.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "tests/support/db.h"

struct fixture {
	struct config_settings *settings;
	struct db *db;
	struct base_id workspace, other; /* two workspaces */
};

struct fixture *fixture_open(void);
void fixture_close(struct fixture *fixture);
DEFINE_AUTO(fixture, fixture_close)

/* A suite whose tests each have a fixture of their own. */
#define FIXTURE_SUITE(name)                                                                        \
	static struct fixture *fixture;                                                            \
	static void begin(void)                                                                    \
	{                                                                                          \
		fixture = fixture_open();                                                          \
	}                                                                                          \
	static void end(void)                                                                      \
	{                                                                                          \
		fixture_close(fixture);                                                            \
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
gint64 fixture_number(struct fixture *fixture, const char *sql);

/* The number of rows that the server has read and sorted for this connection since the last
   call, without those of the call itself. */
struct fixture_work {
	gint64 read, sorted;
};
struct fixture_work fixture_work(struct fixture *fixture);

/* Another connection, which never waits for a lock. */
struct db *fixture_impatient(struct fixture *fixture);

/* Content of size bytes that differs for each seed. */
GBytes *fixture_bytes(gsize size, guint seed);

#endif
