/* SPDX-License-Identifier: MIT */
#include "core/tidy.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "core/core.h"
#include "core/domain_keys.h"
#include "tests/core/posting.h"
#include "tests/support/db.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define NOW ((gint64)1800000000000)

static void
tidy(struct world *world)
{
	g_autoptr(GError) error = NULL;
	bool more = true;

	cr_assert(core_ensure(world->core, &error), "%s", error ? error->message : "");
	for (guint i = 0; more && i < 20; i++)
		cr_assert(core_tidy(world->core, &more, &error), "%s", error ? error->message : "");
	cr_assert_not(more, "there is always more");
}

/* An email of that time that has been delivered; its html is shared with all others. */
static void
deliver_at(struct world *world, gint64 time)
{
	base_clock_set(time);
	posting_submit(world, "a@x.org b@x.org");
	posting_deliver(world);
}

static void
expect(struct world *world, const char *name, const char *sql, gint64 want)
{
	gint64 got = test_db_number(world->db, sql);

	cr_expect_eq(got, want, "%s: %s: got %d, want %d", name, sql, (int)got, (int)want);
}

static void
expect_all(struct world *world, const char *name, gint64 emails, gint64 parts, gint64 events,
    gint64 bodies)
{
	expect(world, name, "SELECT COUNT(*) FROM email", emails);
	expect(world, name, "SELECT COUNT(*) FROM recipient", 2 * emails);
	expect(world, name, "SELECT COUNT(*) FROM email_part", parts);
	expect(world, name, "SELECT COUNT(*) FROM event", events);
	expect(world, name, "SELECT COUNT(*) FROM body", bodies);
}

Test(tidy, keeps_everything_for_ever_unless_told)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(world) world = world_open(&script, NULL);

	deliver_at(world, NOW - 1000 * DAY_MS);
	base_clock_set(NOW);
	tidy(world);
	expect_all(world, "default", 1, 1, 2, 1);
}

Test(tidy, keeps_each_kind_for_its_days)
{
	static const struct smtp_script script = {.extensions = NULL};
	static const struct {
		const char *settings;
		gint64 emails, parts, events, bodies;
	} cases[] = {
	    /* one is 11 days old, one 9; one day more or less decides */
	    {"[retention]\nemails = 10\n", 1, 1, 2, 1},
	    {"[retention]\nemails = 8\n", 0, 0, 0, 0},
	    {"[retention]\nemails = 12\n", 2, 2, 4, 1},
	    {"[retention]\nbodies = 10\n", 2, 1, 4, 1},
	    {"[retention]\nbodies = 8\n", 2, 0, 4, 0},
	    {"[retention]\nevents = 10\n", 2, 2, 2, 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(world) world = world_open(&script, cases[i].settings);
		/* Ids of a process only grow. */
		gint64 now = NOW + (gint64)i * 100 * DAY_MS;

		deliver_at(world, now - 11 * DAY_MS);
		deliver_at(world, now - 9 * DAY_MS);
		base_clock_set(now);
		tidy(world);
		expect_all(world, cases[i].settings, cases[i].emails, cases[i].parts,
		    cases[i].events, cases[i].bodies);
	}
}

/* Days count from when an execution finished, be it old or young. */
Test(tidy, keeps_executions_for_their_days)
{
	static const struct {
		const char *settings;
		gint64 want;
	} cases[] = {
	    {NULL, 3},
	    {"[retention]\nexecutions = 12\n", 3},
	    {"[retention]\nexecutions = 10\n", 2},
	    {"[retention]\nexecutions = 8\n", 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(world) world = world_open(NULL, cases[i].settings);

		/* Of one that runs, one that ended 11 days ago, and one 9 days ago. */
		for (guint n = 0; n < 3; n++) {
			struct base_id id = base_id_floor(NOW - 20 * DAY_MS);
			char text[ID_TEXT_SIZE];
			g_autofree char *sql = g_strdup_printf(
			    "INSERT INTO execution (id, workspace_id, workflow_id, contact_id,"
			    " event_id, email, version, status, step_id, step_count, step_time,"
			    " created, updated, completed) SELECT CAST(CAST('%s' AS UUID) AS"
			    " BINARY(16)), id, id, id, id, 'a@x.org', 1, %d, 's', 1, 1, 1, 1, %s"
			    " FROM workspace",
			    (id.bytes[15] = (guint8)n, base_id_format(&id, text)), n == 0 ? 2 : 3,
			    n == 0   ? "NULL"
			    : n == 1 ? "1800000000000 - 11 * 86400000"
				     : "1800000000000 - 9 * 86400000");
			test_db_plain(world->db, sql);
		}
		base_clock_set(NOW);
		tidy(world);
		expect(world, cases[i].settings ? cases[i].settings : "default",
		    "SELECT COUNT(*) FROM execution", cases[i].want);
	}
}

Test(tidy, never_touches_what_still_has_to_leave)
{
	AUTO(world) world = world_open(NULL, "[retention]\nemails = 1\nbodies = 1\nevents = 1\n");

	base_clock_set(NOW - 10 * DAY_MS);
	posting_submit(world, "a@x.org b@x.org");
	base_clock_set(NOW);
	tidy(world);
	expect_all(world, "waiting", 1, 1, 0, 1);
}

Test(tidy, removes_more_than_a_batch)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(world) world = world_open(&script, "[retention]\nemails = 1\n");

	base_clock_set(NOW - 10 * DAY_MS);
	for (guint i = 0; i < 230; i++)
		posting_submit(world, "a@x.org b@x.org");
	test_db_plain(world->db, "DELETE FROM outbox");
	base_clock_set(NOW);
	tidy(world);
	expect_all(world, "230 emails", 0, 0, 0, 0);
}

Test(tidy, removes_what_too_little_was_proved_of_after_90_days)
{
	AUTO(world) world = world_open(NULL, NULL);

	cr_assert(db_run(world->db,
	    "INSERT INTO hearsay (email_id, recipient, verdict, workspace_id, created)"
	    " SELECT ?, seq, 1, ?, ? FROM seq_1_to_1001",
	    DB_VALUES(
		db_id(&world->key.workspace_id), db_id(&world->key.workspace_id), db_int(NOW)),
	    NULL, NULL));
	base_clock_set(NOW + 90 * DAY_MS - 60000);
	tidy(world);
	expect(world, "before", "SELECT COUNT(*) FROM hearsay", 1001);
	base_clock_set(NOW + 90 * DAY_MS + 60000);
	tidy(world);
	expect(world, "after", "SELECT COUNT(*) FROM hearsay", 0);
}

Test(tidy, removes_keys_a_week_after_they_signed)
{
	AUTO(world) world = world_open(NULL, NULL);
	g_autoptr(GError) error = NULL;

	base_clock_set(NOW);
	cr_assert(core_domain_keys_rotate(
		      world->core, &world->key.workspace_id, &world->domain->id, &error),
	    "%s", error ? error->message : "");
	/* The clock runs on: a minute before, and a moment after. */
	base_clock_set(NOW + 7 * DAY_MS - 60000);
	tidy(world);
	expect(world, "before", "SELECT COUNT(*) FROM domain_key", 4);
	base_clock_set(NOW + 7 * DAY_MS + 60000);
	tidy(world);
	expect(world, "after", "SELECT COUNT(*) FROM domain_key", 2);
	expect(world, "after", "SELECT COUNT(*) FROM domain_key WHERE state = 1", 2);
}
