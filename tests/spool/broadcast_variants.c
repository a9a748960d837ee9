/* SPDX-License-Identifier: MIT */
/* Variants of a broadcast: each person gets one, and the rest the winner. */
#include <criterion/criterion.h>

#include "service/service.h"
#include "tests/spool/mailing.h"

static const struct smtp_script good = {.extensions = NULL};

TestSuite(broadcast_variants, .timeout = 900);

#define VARIANTS ",\"variants\":[{},{\"subject\":\"Second\"},{\"subject\":\"Third\"}]"

static struct depot *
open_with_people(void)
{
	struct depot *depot = depot_open(NULL, &good, 100);

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 120);
	return depot;
}

static struct base_id
send_variants(struct depot *depot, const char *more)
{
	g_autofree char *members = g_strconcat(VARIANTS, more, NULL);

	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", members);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	return id;
}

static struct store_broadcast *
read_back(struct depot *depot, const struct base_id *id)
{
	cr_assert(service_ensure(depot->house->service, NULL));
	struct store_broadcast *broadcast =
	    store_broadcast_get(depot->house->db, &depot->house->workspace, id, NULL);

	cr_assert(broadcast);
	return broadcast;
}

Test(broadcast_variants, are_shared_out)
{
	AUTO(depot) depot = open_with_people();
	struct base_id id = send_variants(depot, "");

	mailing_expect(
	    depot, &id, "sent 120: 0 excluded, 120 sent, 0 skipped, 0 failed, 0 cancelled");
	smtp_server_stop(depot->relay);
	guint second = mailing_count(depot, "Subject: Second\r\n"),
	      third = mailing_count(depot, "Subject: Third\r\n");
	cr_expect(second > 15 && second < 65, "%u", second);
	cr_expect(third > 15 && third < 65, "%u", third);
	cr_expect_eq(mailing_count(depot, "Subject: To F") + second + third, 120);
}

/* Expects all mails from one on to have the winner's subject. */
static void
expect_winner(struct depot *depot, guint first, int winner)
{
	static const char *const subjects[] = {
	    "Subject: To F", "Subject: Second\r\n", "Subject: Third\r\n"};

	for (guint i = first; i < smtp_server_count(depot->relay); i++)
		cr_expect(strstr(smtp_server_mail(depot->relay, i)->bytes->str, subjects[winner]));
}

Test(broadcast_variants, are_tried_and_the_rest_gets_the_winner)
{
	static const struct {
		const char *way, *sql;
		int winner;
	} cases[] = {
	    {"opens",
		"UPDATE broadcast_recipient SET opened_at = variant = 2, clicked_at = variant = 1",
		2},
	    {"clicks",
		"UPDATE broadcast_recipient SET opened_at = variant = 2, clicked_at = variant = 1",
		1},
	    {"clicks", "UPDATE broadcast_recipient SET clicked_at = 1, opened_at = 0", 0},
	    {"opens", "UPDATE broadcast_recipient SET opened_at = 0", 0},
	};

	AUTO(depot) depot = open_with_people();

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *more = g_strdup_printf(
		    ",\"test_share\":50,\"winner_by\":\"%s\",\"decide_after\":3600000",
		    cases[i].way);
		guint before = smtp_server_count(depot->relay);
		struct base_id id = send_variants(depot, more);
		AUTO(store_broadcast) testing = read_back(depot, &id);
		guint tried = smtp_server_count(depot->relay) - before;

		cr_expect_eq(testing->status, BROADCAST_TESTING);
		cr_expect(tried > 30 && tried < 90, "%u", tried);
		cr_expect_eq(testing->counts.sent, tried);
		cr_expect_eq(testing->winner, -1);
		cr_expect(testing->decide_at > testing->started_at + 3600000 &&
			  testing->decide_at <= testing->updated + 3600000);
		mailing_sql(depot, "%s", cases[i].sql);
		mailing_sql(depot, "UPDATE broadcast SET decide_at = 1, due = 1 WHERE status = 4");
		cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
		mailing_expect(
		    depot, &id, "sent 120: 0 excluded, 120 sent, 0 skipped, 0 failed, 0 cancelled");
		AUTO(store_broadcast) sent = read_back(depot, &id);
		cr_expect_eq(sent->winner, cases[i].winner, "case %d: %d", (int)i, sent->winner);
		expect_winner(depot, before + tried, cases[i].winner);
	}
}

Test(broadcast_variants, wait_for_a_decision_by_hand_through_a_pause)
{
	AUTO(depot) depot = open_with_people();
	struct base_id id = send_variants(depot, ",\"test_share\":20,\"winner_by\":\"manual\"");
	const struct base_id *workspace = &depot->house->workspace;
	struct service *service = depot->house->service;
	g_autoptr(GError) error = NULL;

	cr_expect_eq(mailing_number(depot, "SELECT due IS NULL AND status = 4 FROM broadcast"), 1);
	cr_assert(service_ensure(service, NULL) && broadcast_pause(service, workspace, &id, NULL));
	cr_expect_not(broadcast_decide(service, workspace, &id, 2, &error));
	cr_expect_str_eq(error->message, "Broadcast is paused");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	cr_assert(service_ensure(service, NULL) && broadcast_resume(service, workspace, &id, NULL));
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	cr_expect_eq(mailing_number(depot, "SELECT due IS NULL AND status = 4 FROM broadcast"), 1);
	guint tried = smtp_server_count(depot->relay);
	cr_assert(
	    service_ensure(service, NULL) && broadcast_decide(service, workspace, &id, 1, NULL));
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	mailing_expect(
	    depot, &id, "sent 120: 0 excluded, 120 sent, 0 skipped, 0 failed, 0 cancelled");
	cr_expect_geq(mailing_count(depot, "Subject: Second\r\n"), 120 - tried);
}
