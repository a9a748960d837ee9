/* SPDX-License-Identifier: MIT */
/* When the messages of a broadcast leave: on people's own clocks, spread over hours, and behind
   other mail. */
#include <criterion/criterion.h>

#include "base/clock.h"
#include "service/service.h"
#include "tests/spool/mailing.h"
#include "text/wall_clock.h"

static const struct smtp_script good = {.extensions = NULL};

TestSuite(broadcast_times, .timeout = 900);

Test(broadcast_times, are_each_persons_own)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autoptr(GDateTime) hour = g_date_time_add_hours(now, 1);
	g_autofree char *local = g_date_time_format(hour, "%Y-%m-%dT%H:%M");
	const struct broadcast_time time = {.local_time = local, .time_zone = "Etc/GMT+5"};
	gint64 utc = text_wall_clock_moment(local, "UTC", NULL);

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 4);
	mailing_sql(depot, "UPDATE person SET time_zone = CASE first_name WHEN 'F1' THEN"
			   " 'Etc/GMT-10' WHEN 'F2' THEN 'UTC' WHEN 'F3' THEN 'Etc/GMT-2' END");
	struct base_id id = mailing_send_at(depot, "\"" AUDIENCE_A "\"", "", &time);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	/* For 1 and 3 the time has passed. 2 waits an hour, and 4, without a zone, five more. */
	mailing_expect(
	    depot, &id, "sending 4: 0 excluded, 2 sent, 0 skipped, 0 failed, 0 cancelled");
	cr_expect_eq(mailing_count(depot, "To F1\r\n") + mailing_count(depot, "To F3\r\n"), 2);
	cr_expect_eq(mailing_number(depot, "SELECT MIN(due) FROM broadcast_recipient"
					   " WHERE queue IS NOT NULL"),
	    utc);
	cr_expect_eq(mailing_number(depot, "SELECT MAX(due) FROM broadcast_recipient"
					   " WHERE queue IS NOT NULL"),
	    utc + (gint64)5 * 3600 * 1000);
}

Test(broadcast_times, are_spread_evenly)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	const struct broadcast_time time = {.spread = (gint64)10 * 3600 * 1000};

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 1000);
	struct base_id id = mailing_send_at(depot, "\"" AUDIENCE_A "\"", "", &time);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	AUTO(store_broadcast)
	b = store_broadcast_get(depot->house->db, &depot->house->workspace, &id, NULL);
	cr_assert(b);
	cr_expect_eq(b->status, BROADCAST_SENDING);
	for (int i = 0; i < 4; i++) {
		g_autofree char *sql =
		    g_strdup_printf("SELECT COUNT(*) FROM broadcast_recipient r JOIN broadcast b"
				    " ON b.id = r.broadcast_id WHERE FLOOR((r.due - b.started_at) "
				    "* 4 / 36000001) = %d",
			i);
		gint64 share = mailing_number(depot, sql);

		cr_expect(share > 180 && share < 320, "quarter %d: %d", i, (int)share);
	}
}

#define BATCH 10

/* The number of mails that the relay got before the first one of this subject. */
static guint
broadcast_times_place_of(struct depot *depot, const char *subject)
{
	guint count = smtp_server_count(depot->relay), i = 0;

	while (i < count && !strstr(smtp_server_mail(depot->relay, i)->bytes->str, subject))
		i++;
	return i;
}

Test(broadcast_times, are_behind_other_mail)
{
	static const struct smtp_script slow = {
	    .extensions = NULL, .rules = {{".", 0, NULL, THEN_GO_ON, 20}}};
	AUTO(depot) depot = depot_open(NULL, &slow, BATCH);

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 200);
	depot_submit(depot, 3 * BATCH, 0);
	mailing_send(depot, "\"" AUDIENCE_A "\"", "");
	AUTO(test_program)
	program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "1"));
	while (smtp_server_count(depot->relay) < 5 * BATCH)
		g_usleep(2000);
	/* Mail that waited already left before the broadcast began. */
	cr_expect_geq(broadcast_times_place_of(depot, "Subject: To F"), 3 * BATCH);
	/* Mail that comes meanwhile waits for the batch of the moment, or for the one taken just
	 * now. */
	depot_submit_to(depot, "late@example.net", 1);
	guint before = smtp_server_count(depot->relay);
	depot_wait_left(depot, 0);
	while (smtp_server_count(depot->relay) < 3 * BATCH + 201)
		g_usleep(2000);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, 240000), 0);
	guint place = broadcast_times_place_of(depot, "late@example.net");
	cr_expect_leq(place, before + BATCH, "at place %u, submitted at %u", place, before);
}
