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

/* A fixture whose domain is new, with these limits, at noon of the first day. */
static struct fixture *
open_new(const char *limits)
{
	g_autofree char *text = g_strdup_printf("[warmup]\nlimits = %s\n", limits);

	base_clock_set(DAY_1 + DAY_MS / 2);
	struct fixture *fixture = fixture_open(&good, text);
	g_autofree char *sql = g_strdup_printf(
	    "UPDATE domain SET trusted = 0, status = %d, warm_check = 0", DOMAIN_SUCCESS);
	test_db_plain(fixture->db, sql);
	return fixture;
}

static void
warmup_expect_events(struct fixture *fixture, const struct base_id *email, const char *want)
{
	g_autofree char *got = fixture_events(fixture, email);

	cr_expect_str_eq(got, want, "got\n%swant\n%s", got, want);
}

/* Delivers, and expects so many emails with a sent event. */
static void
expect_sent(struct fixture *fixture, gint64 want)
{
	posting_deliver(fixture);
	gint64 got = test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE status = 1");
	cr_expect_eq(got, want, "got %d, want %d", (int)got, (int)want);
}

Test(warmup, allows_so_many_recipients_on_each_day)
{
	AUTO(fixture) fixture = open_new("3, 5");
	struct base_id last = {{0}};

	for (guint i = 0; i < 20; i++)
		last = posting_submit(fixture, "a@x.org");
	expect_sent(fixture, 3);
	warmup_expect_events(fixture, &last,
	    "0 delayed: warm-up: example.com has sent 3 of 3 today, the rest leaves from "
	    "2027-01-16\n");
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM outbox WHERE attempts = 0 AND reason = "
			 "'warm-up: example.com has sent 3 of 3 today, the rest "
			 "leaves from 2027-01-16'"),
	    17);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT MIN(ready_at) FROM outbox"), DAY_1 + DAY_MS);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT MAX(ready_at) FROM outbox"), DAY_1 + DAY_MS);

	/* The same day tells nothing new. */
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = 1");
	expect_sent(fixture, 3);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 3 + 17);

	/* A day without mail does not count. */
	base_clock_set(DAY_1 + 3 * DAY_MS);
	expect_sent(fixture, 8);
	warmup_expect_events(fixture, &last,
	    "0 delayed: warm-up: example.com has sent 3 of 3 today, the rest leaves from "
	    "2027-01-16\n"
	    "0 delayed: warm-up: example.com has sent 5 of 5 today, the rest leaves from "
	    "2027-01-19\n");
	base_clock_set(DAY_1 + 4 * DAY_MS);
	expect_sent(fixture, 20);
}

Test(warmup, counts_the_recipients_of_a_message)
{
	AUTO(fixture) fixture = open_new("4 10");
	struct base_id first = posting_submit(fixture, "a@x.org b@x.org c@x.org"),
		       second = posting_submit(fixture, "d@x.org e@x.org f@x.org");

	posting_deliver(fixture);
	warmup_expect_events(fixture, &first, "0 sent\n1 sent\n2 sent\n");
#define SENTENCE "warm-up: example.com has sent 4 of 4 today, the rest leaves from 2027-01-16\n"
	warmup_expect_events(
	    fixture, &second, "0 sent\n1 delayed: " SENTENCE "2 delayed: " SENTENCE);
	base_clock_set(DAY_1 + DAY_MS);
	posting_deliver(fixture);
	warmup_expect_events(fixture, &second,
	    "0 sent\n1 delayed: " SENTENCE "2 delayed: " SENTENCE "1 sent\n2 sent\n");
}

Test(warmup, counts_a_recipient_once_on_a_day)
{
	static const struct smtp_script once = {.rules = {REPLY("RCPT*", 1, "451 4.2.0 later")}};
	AUTO(fixture) fixture = open_new("2");

	fixture_renew(fixture, &once, "[warmup]\nlimits = 2\n");
	posting_submit(fixture, "a@x.org");
	expect_sent(fixture, 0);
	base_clock_set(base_clock_now() + 120000);
	posting_submit(fixture, "b@x.org");
	expect_sent(fixture, 2);
}

Test(warmup, limits_no_domain_that_is_trusted_or_known)
{
	static const char *const states[] = {"trusted = 1", "warmed_up_at = 1, warm_check = NULL"};

	for (gsize i = 0; i < G_N_ELEMENTS(states); i++) {
		AUTO(fixture) fixture = open_new("0");
		g_autofree char *sql = g_strdup_printf("UPDATE domain SET %s", states[i]);

		posting_submit(fixture, "a@x.org");
		expect_sent(fixture, 0);
		test_db_plain(fixture->db, sql);
		test_db_plain(fixture->db, "UPDATE outbox SET ready_at = 1");
		expect_sent(fixture, 1);
	}
}
