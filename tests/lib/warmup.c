/* SPDX-License-Identifier: MIT */
#include "delivery/warmup.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "store/email/event.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

#define DAY_MS ((gint64)24 * 3600 * 1000)
#define DAY_1 (20833 * DAY_MS) /* 2027-01-15 */

static const struct smtp_script good = {.extensions = NULL};

/* A world whose domain is new, with these limits, at noon of the first day. */
static struct world *
open_new(const char *limits)
{
	g_autofree char *text = g_strdup_printf("[warmup]\nlimits = %s\n", limits);

	base_clock_set(DAY_1 + DAY_MS / 2);
	struct world *world = world_open(&good, text);
	g_autofree char *sql = g_strdup_printf(
	    "UPDATE domain SET trusted = 0, status = %d, warm_check = 0", DOMAIN_SUCCESS);
	test_db_plain(world->db, sql);
	return world;
}

static void
warmup_expect_events(struct world *world, const struct base_id *email, const char *want)
{
	g_autofree char *got = world_events(world, email);

	cr_expect_str_eq(got, want, "got\n%swant\n%s", got, want);
}

/* Delivers, and expects so many emails with a sent event. */
static void
expect_sent(struct world *world, gint64 want)
{
	posting_deliver(world);
	gint64 got = test_db_number(world->db, "SELECT COUNT(*) FROM event WHERE status = 1");
	cr_expect_eq(got, want, "got %d, want %d", (int)got, (int)want);
}

Test(warmup, allows_so_many_recipients_on_each_day)
{
	AUTO(world) world = open_new("3, 5");
	struct base_id last = {{0}};

	for (guint i = 0; i < 20; i++)
		last = posting_submit(world, "a@x.org");
	expect_sent(world, 3);
	warmup_expect_events(world, &last,
	    "0 delayed: warm-up: example.com has sent 3 of 3 today, the rest leaves from "
	    "2027-01-16\n");
	cr_expect_eq(
	    test_db_number(world->db, "SELECT COUNT(*) FROM outbox WHERE attempts = 0 AND reason = "
				      "'warm-up: example.com has sent 3 of 3 today, the rest "
				      "leaves from 2027-01-16'"),
	    17);
	cr_expect_eq(test_db_number(world->db, "SELECT MIN(ready_at) FROM outbox"), DAY_1 + DAY_MS);
	cr_expect_eq(test_db_number(world->db, "SELECT MAX(ready_at) FROM outbox"), DAY_1 + DAY_MS);

	/* The same day tells nothing new. */
	test_db_plain(world->db, "UPDATE outbox SET ready_at = 1");
	expect_sent(world, 3);
	cr_expect_eq(test_db_number(world->db, "SELECT COUNT(*) FROM event"), 3 + 17);

	/* A day without mail does not count. */
	base_clock_set(DAY_1 + 3 * DAY_MS);
	expect_sent(world, 8);
	warmup_expect_events(world, &last,
	    "0 delayed: warm-up: example.com has sent 3 of 3 today, the rest leaves from "
	    "2027-01-16\n"
	    "0 delayed: warm-up: example.com has sent 5 of 5 today, the rest leaves from "
	    "2027-01-19\n");
	base_clock_set(DAY_1 + 4 * DAY_MS);
	expect_sent(world, 20);
}

Test(warmup, counts_the_recipients_of_a_message)
{
	AUTO(world) world = open_new("4 10");
	struct base_id first = posting_submit(world, "a@x.org b@x.org c@x.org"),
		       second = posting_submit(world, "d@x.org e@x.org f@x.org");

	posting_deliver(world);
	warmup_expect_events(world, &first, "0 sent\n1 sent\n2 sent\n");
#define SENTENCE "warm-up: example.com has sent 4 of 4 today, the rest leaves from 2027-01-16\n"
	warmup_expect_events(world, &second, "0 sent\n1 delayed: " SENTENCE "2 delayed: " SENTENCE);
	base_clock_set(DAY_1 + DAY_MS);
	posting_deliver(world);
	warmup_expect_events(world, &second,
	    "0 sent\n1 delayed: " SENTENCE "2 delayed: " SENTENCE "1 sent\n2 sent\n");
}

Test(warmup, counts_a_recipient_once_on_a_day)
{
	static const struct smtp_script once = {.rules = {REPLY("RCPT*", 1, "451 4.2.0 later")}};
	AUTO(world) world = open_new("2");

	world_renew(world, &once, "[warmup]\nlimits = 2\n");
	posting_submit(world, "a@x.org");
	expect_sent(world, 0);
	base_clock_set(base_clock_now() + 120000);
	posting_submit(world, "b@x.org");
	expect_sent(world, 2);
}

Test(warmup, limits_no_domain_that_is_trusted_or_known)
{
	static const char *const states[] = {"trusted = 1", "warmed_up_at = 1, warm_check = NULL"};

	for (gsize i = 0; i < G_N_ELEMENTS(states); i++) {
		AUTO(world) world = open_new("0");
		g_autofree char *sql = g_strdup_printf("UPDATE domain SET %s", states[i]);

		posting_submit(world, "a@x.org");
		expect_sent(world, 0);
		test_db_plain(world->db, sql);
		test_db_plain(world->db, "UPDATE outbox SET ready_at = 1");
		expect_sent(world, 1);
	}
}
