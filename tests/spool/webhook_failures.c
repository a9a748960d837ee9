/* SPDX-License-Identifier: MIT */
/* Tests that webhooks are tried again, that they rest, and when they are switched off. */
#include <criterion/criterion.h>

#include "store/workspace/user.h"
#include "tests/spool/telling.h"
#include "tests/support/db.h"

TestSuite(webhook_failures, .timeout = 900);

Test(webhook_failures, are_tried_again_by_the_schedule)
{
	static const gint64 delays[] = {5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS,
	    2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS};
	static guint statuses[] = {500, 0};
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(telling_say_in_turn, statuses);
	struct base_id webhook = telling_webhook(house, receiver, false);
	gint64 now = NOW;

	telling_event(house, &webhook, NULL, NOW, 0);
	for (guint i = 0; i <= G_N_ELEMENTS(delays); i++) {
		telling_run(house, now);
		cr_assert_eq(receiver_count(receiver), i + 1, "attempt %u", i + 1);
		if (i == G_N_ELEMENTS(delays))
			break;
		gint64 ended =
		    test_db_number(house->db, "SELECT timestamp + duration FROM webhook_attempt "
					      "ORDER BY number DESC LIMIT 1");
		gint64 next =
		    test_db_number(house->db, "SELECT next_attempt FROM webhook_delivery");
		cr_expect(next - ended >= delays[i] && next - ended <= delays[i] * 11 / 10,
		    "after attempt %u: %d ms, want %d", i + 1, (int)(next - ended), (int)delays[i]);
		test_db_plain(house->db, "UPDATE webhook SET rest_until = 0");
		telling_run(house, next - 60000);
		cr_assert_eq(receiver_count(receiver), i + 1, "too early after %u", i + 1);
		now = next;
	}
	telling_expect(house, "failed", WITH(3) " AND next_attempt IS NULL AND attempts = 11", 1);
	telling_expect(house, "attempts", ATTEMPTS " WHERE response_status = 500", 11);
	test_db_plain(house->db, "UPDATE webhook SET rest_until = 0");
	telling_run(house, now + 30 * DAY_MS);
	cr_expect_eq(receiver_count(receiver), 11);
	g_autofree char *first_id = receiver_header(receiver_get(receiver, 0), "webhook-id");
	g_autofree char *last_id = receiver_header(receiver_get(receiver, 10), "webhook-id");
	cr_expect_str_eq(first_id, last_id);
}

Test(webhook_failures, rest_after_failures)
{
	static guint statuses[] = {500, 503, 404, 302, 500, 500, 500, 500, 500, 500, 500, 200, 0};
	static const int rests[] = {1, 2, 4, 8, 15, 15};
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(telling_say_in_turn, statuses);
	struct base_id webhook = telling_webhook(house, receiver, false);

	telling_events(house, &webhook, NOW, 30);
	telling_run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 5);
	gint64 now = NOW;
	for (guint i = 0; i < G_N_ELEMENTS(rests); i++) {
		gint64 ended = test_db_number(
		    house->db, "SELECT MAX(timestamp + duration) FROM webhook_attempt");
		gint64 until = test_db_number(house->db, "SELECT rest_until FROM webhook");
		cr_expect_eq(until - ended, rests[i] * MINUTE_MS, "rest %u: %d s", i,
		    (int)((until - ended) / 1000));
		telling_run(house, until - 55 * SECOND_MS);
		cr_assert_eq(receiver_count(receiver), 5 + i, "it did not rest");
		telling_run(house, now = until);
		cr_assert_eq(receiver_count(receiver), 6 + i, "one attempt after rest %u", i);
	}
	telling_expect(
	    house, "failing", "SELECT failures = 11 AND failing_since > 0 FROM webhook", 1);
	gint64 until = test_db_number(house->db, "SELECT rest_until FROM webhook");
	telling_run(house, until);
	telling_expect(house, "all told", WITH(2), 30);
	telling_expect(house, "healthy",
	    "SELECT failures = 0 AND failing_since IS NULL AND rest_until = 0 FROM webhook", 1);
}

Test(webhook_failures, are_switched_off_when_gone)
{
	static guint statuses[] = {200, 410, 0};
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(telling_say_in_turn, statuses);
	struct base_id webhook = telling_webhook(house, receiver, false);

	test_db_plain(house->db, "UPDATE workspace SET default_sender = 'a@example.org'");
	telling_events(house, &webhook, NOW, 1);
	telling_run(house, NOW);
	test_db_plain(house->db, "UPDATE webhook SET slow = 1");
	telling_events(house, &webhook, NOW, 3);
	telling_run(house, NOW);
	cr_expect_eq(receiver_count(receiver), 2);
	telling_expect(house, "off", "SELECT enabled = 0 AND disabled_reason = 1 FROM webhook", 1);
	telling_expect(house, "failed", WITH(3) " AND next_attempt IS NULL", 1);
	telling_expect(house, "waiting", WITH(1) " AND next_attempt > 0", 2);
	telling_expect(house, "told nobody", "SELECT COUNT(*) FROM email", 0);
	telling_run(house, NOW + DAY_MS);
	cr_expect_eq(receiver_count(receiver), 2);
}

Test(webhook_failures, are_switched_off_after_five_days_of_failures)
{
	static guint statuses[] = {500, 0};
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(telling_say_in_turn, statuses);
	struct base_id webhook = telling_webhook(house, receiver, false);
	struct store_user user = {.email = "bob@example.org"};
	g_autoptr(GError) error = NULL;

	test_house_domain(house, "example.org");
	test_db_plain(house->db, "UPDATE workspace SET default_sender = 'Post <a@example.org>'");
	telling_must(store_user_add(house->db, &house->workspace, &user, NULL, &error), error);
	telling_events(house, &webhook, NOW, 1);
	telling_run(house, NOW);
	gint64 since = test_db_number(house->db, "SELECT failing_since FROM webhook");
	telling_expect(house, "first failure",
	    "SELECT timestamp = failing_since FROM webhook_attempt, webhook", 1);
	telling_events(house, &webhook, NOW, 3);
	telling_run(house, since + 5 * DAY_MS - HOUR_MS);
	telling_expect(house, "on", "SELECT enabled FROM webhook", 1);
	test_db_plain(house->db, "UPDATE webhook SET rest_until = 0");
	guint before = receiver_count(receiver);
	telling_run(house, since + 5 * DAY_MS + HOUR_MS);
	cr_expect_eq(receiver_count(receiver), before + 1);
	telling_expect(house, "off", "SELECT enabled = 0 AND disabled_reason = 2 FROM webhook", 1);
	telling_expect(house, "told",
	    "SELECT COUNT(*) FROM email WHERE subject = 'Webhook disabled: 127.0.0.1'"
	    " AND sender LIKE '%a@example.org%'",
	    2);
	telling_expect(house, "whom",
	    "SELECT COUNT(DISTINCT address) FROM recipient"
	    " WHERE address IN ('ann@example.org', 'bob@example.org')",
	    2);
}
