/* SPDX-License-Identifier: MIT */
#include "core/warmup.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "core/report.h"
#include "core/return_path.h"
#include "store/email.h"
#include "store/warmup.h"
#include "tests/core/posting.h"
#include "tests/support/db.h"

#define DAY ((gint64)24 * 60 * 60 * 1000)
#define MINUTE ((gint64)60 * 1000)
#define NOON (20000 * DAY + DAY / 2)

Test(warmup, is_enough_after_days_and_mail_without_bounces)
{
	static const struct {
		const char *name;
		struct store_warmup warmup;
		bool want;
	} cases[] = {
	    {"nothing", {0, 0, 0}, false},
	    {"just enough", {14, 1000, 0}, true},
	    {"a day less", {13, 100000, 0}, false},
	    {"an email less", {100, 999, 0}, false},
	    {"52 of 1052 bounced", {14, 1000, 52}, true},
	    {"53 of 1053 bounced", {14, 1000, 53}, false},
	    {"5 % bounced", {14, 1900, 100}, false},
	    {"less than 5 % bounced", {14, 1901, 100}, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(
		    core_warmup_is_enough(&cases[i].warmup), cases[i].want, "%s", cases[i].name);
}

Test(warmup, is_looked_at_when_it_could_be_enough)
{
	static const struct {
		gint64 days;
		gint64 want; /* from noon of day 20000 */
	} cases[] = {
	    {0, 13 * DAY - DAY / 2},
	    {1, 12 * DAY - DAY / 2},
	    {12, DAY - DAY / 2},
	    {13, 10 * MINUTE},
	    {14, 10 * MINUTE},
	    {1000, 10 * MINUTE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct store_warmup warmup = {cases[i].days, 5000, 5000};
		gint64 got = core_warmup_next(&warmup, NOON) - NOON;

		cr_expect_eq(got, cases[i].want, "%d days: got %d min, want %d min",
		    (int)cases[i].days, (int)(got / MINUTE), (int)(cases[i].want / MINUTE));
	}
}

static void
look(struct world *world)
{
	g_autoptr(GError) error = NULL;
	bool more;

	cr_assert(core_warmup_due(world->core, &more, &error), "%s", error ? error->message : "");
	cr_expect_not(more);
}

#define WARM "SELECT COUNT(*) FROM domain WHERE warmed_up_at IS NOT NULL"

Test(warmup, comes_with_two_weeks_of_mail)
{
	static const struct smtp_script script = {
	    .rules = {REPLY("RCPT*b@x*", 0, "550 5.1.1 no such user")}};
	AUTO(world) world = world_open(&script, "[smtp]\nfinal = yes\n");

	for (guint day = 1; day <= 14; day++) {
		base_clock_set(NOON + day * DAY);
		look(world);
		cr_expect_eq(test_db_number(world->db, WARM), 0, "before day %u", day);
		posting_submit(world, day == 5 ? "a@x.org b@x.org" : "a@x.org c@x.org");
		posting_deliver(world);
	}
	cr_expect_eq(test_db_number(world->db, "SELECT SUM(delivered) FROM domain_day"), 27);
	cr_expect_eq(test_db_number(world->db, "SELECT SUM(bounced) FROM domain_day"), 1);
	base_clock_set(base_clock_now() + 11 * MINUTE);
	look(world);
	cr_expect_eq(test_db_number(world->db, WARM), 0, "too little mail");

	test_db_plain(world->db, "UPDATE domain_day SET delivered = 40 * delivered");
	look(world);
	cr_expect_eq(test_db_number(world->db, WARM), 0, "not looked at again yet");
	base_clock_set(base_clock_now() + 11 * MINUTE);
	gint64 now = base_clock_now();
	look(world);
	cr_expect_eq(test_db_number(world->db, WARM), 1, "enough");
	gint64 at = test_db_number(world->db, "SELECT warmed_up_at FROM domain");
	cr_expect(at >= now && at < now + MINUTE);

	posting_submit(world, "d@x.org");
	posting_deliver(world);
	cr_expect_eq(test_db_number(world->db, "SELECT COUNT(*) FROM domain_day"), 0);
}

/* Somebody else's server reports this of the email's only recipient. */
static void
report(struct world *world, const struct base_id *id, const char *action)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_email)
	email = store_email_get(
	    world->db, &world->key.workspace_id, id, (enum store_email_part_role)0, &error);
	cr_assert(email, "%s", error ? error->message : "");
	g_autofree char *path = core_return_path(world->core, email, 0);
	g_autofree char *text = g_strdup_printf(
	    "From: MAILER-DAEMON@mx.example.net\nTo: %s\n"
	    "Content-Type: multipart/report; boundary=b\n\n--b\n\nHello.\n--b\n"
	    "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.net\n\n"
	    "Final-Recipient: rfc822;a@x.org\nAction: %s\nStatus: 5.2.2\n\n--b--\n",
	    path, action);
	const char *const envelope[] = {path, NULL};
	struct core_report_result result;

	cr_assert(core_report(world->core, text, strlen(text), envelope, &result, &error), "%s",
	    error ? error->message : "");
	cr_expect_eq(result.outcome, REPORT_RECORDED, "%s", action);
}

Test(warmup, counts_what_reports_tell)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(world) world = world_open(&script, NULL);
	struct base_id arrived = posting_submit(world, "a@x.org"),
		       lost = posting_submit(world, "a@x.org");

	posting_deliver(world);
	cr_expect_eq(test_db_number(world->db, "SELECT COUNT(*) FROM domain_day"), 0, "sent");
	report(world, &arrived, "delivered");
	report(world, &lost, "failed");
	cr_expect_eq(test_db_number(world->db, "SELECT SUM(delivered) FROM domain_day"), 1);
	cr_expect_eq(test_db_number(world->db, "SELECT SUM(bounced) FROM domain_day"), 1);
}
