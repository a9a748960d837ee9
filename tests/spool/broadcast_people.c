/* SPDX-License-Identifier: MIT */
/* Whom a broadcast reaches: people of segments, and what is gone when it starts. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/id.h"
#include "broadcast/send_step.h"
#include "service/service.h"
#include "tests/spool/mailing.h"
#include "tests/support/db.h"

static const struct smtp_script good = {.extensions = NULL};

TestSuite(broadcast_people, .timeout = 900);

#define NAMED(name)                                                                                \
	"{\"property\":\"contact.first_name\",\"operator\":\"contains\",\"value\":\"" name "\"}"

static char *
segment_text(struct depot *depot, const char *rule)
{
	struct base_id id = mailing_segment(depot, rule);
	char text[ID_TEXT_SIZE];

	base_id_format(&id, text);
	return g_strdup(text);
}

Test(broadcast_people, are_those_of_segments_too)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	mailing_audience(depot, AUDIENCE_A);
	mailing_audience(depot, AUDIENCE_B);
	mailing_people(depot, AUDIENCE_A, 1, 10);
	mailing_people(depot, NULL, 11, 20);
	mailing_people(depot, AUDIENCE_B, 21, 30);
	mailing_sql(depot, "UPDATE contact SET is_subscribed = 0 WHERE LENGTH(address) = 15"
			   " AND address LIKE 'u2%%' AND address <> 'u20@example.net'");
	mailing_sql(depot,
	    "UPDATE person p JOIN contact c ON c.address = p.address SET p.agreed = 0"
	    " WHERE c.is_subscribed = 0");
	g_autofree char *ones = segment_text(depot, NAMED("F1")),
			*twos = segment_text(depot, NAMED("F2")),
			*twelve = segment_text(depot, NAMED("F12")),
			*three = segment_text(depot, NAMED("F3"));
	g_autofree char *more = g_strdup_printf(
	    ",\"segments\":[\"%s\",\"%s\",\"%s\"],\"exclude_segments\":[\"%s\",\"%s\"]", ones, twos,
	    ones, twelve, three);
	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", more);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	/* 1 to 20 without 3 and 12. 21 to 29 are in an audience and subscribed in none. 30 is
	   excluded too, though not named by what the broadcast goes to. */
	mailing_expect(
	    depot, &id, "sent 18: 11 excluded, 18 sent, 0 skipped, 0 failed, 0 cancelled");
	cr_expect_eq(mailing_number(depot, "SELECT COUNT(*) FROM broadcast_recipient"
					   " WHERE marks & 16"),
	    12);
	cr_expect_eq(
	    mailing_number(depot, "SELECT COUNT(*) FROM recipient r JOIN person p"
				  " ON p.address = r.address WHERE p.first_name IN ('F3', 'F12')"),
	    0);
}

/* Those of small audiences are looked for; where the audiences are large, everybody is looked at.
 */
Test(broadcast_people, are_the_same_of_small_and_of_large_audiences)
{
	static const char *const counted[] = {"1", "25001"};

	for (gsize i = 0; i < G_N_ELEMENTS(counted); i++) {
		AUTO(depot) depot = depot_open(NULL, &good, 100);

		mailing_audience(depot, AUDIENCE_A);
		mailing_audience(depot, AUDIENCE_B);
		mailing_people(depot, AUDIENCE_A, 1, 10);
		mailing_people(depot, AUDIENCE_B, 6, 15);
		mailing_people(depot, NULL, 16, 20);
		mailing_sql(depot, "UPDATE contact SET is_subscribed = 0"
				   " WHERE address IN ('u1@example.net', 'u15@example.net')");
		mailing_sql(depot,
		    "REPLACE INTO audience_counter (audience_id, stripe,"
		    " workspace_id, contacts, unsubscribers)"
		    " SELECT id, 0, workspace_id, %s, 0 FROM audience",
		    counted[i]);
		struct base_id id =
		    mailing_send(depot, "\"" AUDIENCE_A "\",\"" AUDIENCE_B "\"", "");
		cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
		mailing_expect(
		    depot, &id, "sent 13: 2 excluded, 13 sent, 0 skipped, 0 failed, 0 cancelled");
	}
}

Test(broadcast_people, of_segments_are_heeded_until_their_turn)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	mailing_audience(depot, AUDIENCE_A);
	mailing_audience(depot, AUDIENCE_B);
	mailing_people(depot, NULL, 1, 5);
	g_autofree char *everybody = segment_text(depot, NAMED("F"));
	g_autofree char *more = g_strdup_printf(",\"segments\":[\"%s\"]", everybody);
	const struct broadcast_time later = {
	    .local_time = "2000-01-01T00:00", .time_zone = "UTC", .spread = 400000};
	struct base_id id = mailing_send_at(depot, "\"" AUDIENCE_A "\"", more, &later);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	mailing_sql(depot, "UPDATE broadcast_recipient SET due = 1 WHERE queue IS NOT NULL");
	mailing_sql(depot, "UPDATE broadcast SET due = 1");
	/* 1 leaves the only audience, 2 one of two, to which the broadcast goes. */
	mailing_people(depot, AUDIENCE_A, 1, 2);
	mailing_people(depot, AUDIENCE_B, 2, 3);
	mailing_sql(depot, "UPDATE contact SET is_subscribed = 0 WHERE address LIKE 'u1@%%'"
			   " OR (address LIKE 'u2@%%' AND audience_id LIKE '%%\n')");
	mailing_sql(depot, "UPDATE person SET agreed = 0 WHERE address LIKE 'u1@%%'");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	mailing_expect(depot, &id, "sent 5: 0 excluded, 3 sent, 2 skipped, 0 failed, 0 cancelled");
	cr_expect_eq(mailing_number(depot, "SELECT SUM(reason) FROM broadcast_recipient"), 6);
}

Test(broadcast_people, are_not_reached_when_something_is_gone)
{
	static const struct {
		const char *sql, *want;
	} cases[] = {
	    {"DELETE FROM topic", "The topic is gone"},
	    {"UPDATE segment SET state = 3", "The segment is gone"},
	    {"UPDATE email SET template_id = 'gone'", "The template is gone"},
	    {"DELETE FROM audience", "The audience is gone"},
	    {"DELETE FROM domain", "The domain is gone"},
	};
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *segment = NULL, *more = NULL;

		mailing_audience(depot, AUDIENCE_A);
		mailing_sql(depot, "INSERT INTO topic (id, workspace_id, name, description,"
				   " is_public, is_opt_in, created, updated) SELECT UNHEX("
				   "'0000000000007000800000000000000c'), id, 'T', '', 1, 0, 1, 1"
				   " FROM workspace LIMIT 1");
		segment = segment_text(depot, NAMED("F"));
		more = g_strdup_printf(",\"topic_id\":\"00000000-0000-7000-8000-00000000000c\","
				       "\"segments\":[\"%s\"]",
		    segment);
		struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", more);
		mailing_sql(depot, "%s", cases[i].sql);
		cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
		AUTO(store_broadcast)
		b = store_broadcast_get(depot->house->db, &depot->house->workspace, &id, NULL);
		cr_assert(b);
		cr_expect_eq(b->status, BROADCAST_FAILED);
		cr_expect_str_eq(b->error ? b->error : "", cases[i].want);
		mailing_sql(depot, "DELETE FROM broadcast");
		mailing_sql(depot, "DELETE FROM audience");
		mailing_sql(depot, "DELETE FROM topic");
	}
}

/* The first step of a broadcast begins it; later ones find its people. */
Test(broadcast_people, are_those_of_the_rules_at_its_start)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	struct service *service = depot->house->service;
	struct broadcast_step step = {0};

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, NULL, 1, 30);
	g_autofree char *ones = segment_text(depot, NAMED("F1")),
			*twelve = segment_text(depot, NAMED("F12"));
	g_autofree char *more = g_strdup_printf(
	    ",\"segments\":[\"%s\",\"%s\"],\"exclude_segments\":[\"%s\"]", ones, ones, twelve);
	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", more);
	cr_assert(service_ensure(service, NULL) && broadcast_send_step(service, NULL, &step, NULL));
	cr_expect_eq(
	    mailing_number(depot, "SELECT status = 3 AND rules IS NOT NULL FROM broadcast"), 1);
	mailing_sql(depot, "UPDATE segment SET rules = REPLACE(rules, 'F1', 'F2')");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	/* 1 and 10 to 19, without 12. */
	mailing_expect(
	    depot, &id, "sent 10: 1 excluded, 10 sent, 0 skipped, 0 failed, 0 cancelled");
	cr_expect_eq(mailing_number(depot, "SELECT rules IS NULL FROM broadcast"), 1);
}
