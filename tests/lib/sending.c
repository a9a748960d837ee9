/* SPDX-License-Identifier: MIT */
/* Mailings that rules keep back: hours, caps, places. */
#include "delivery/sending.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "delivery/message.h"
#include "email/submission.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/consent/topic.h"
#include "store/outbox/place.h"
#include "store/outbox/sending.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "upkeep/metrics_text.h"

#define MINUTE ((gint64)60 * 1000)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define MONDAY (20833 * DAY + 3 * DAY) /* 2027-01-18, 00:00 UTC */

static const struct smtp_script good = {.extensions = NULL};

struct stage {
	struct fixture *fixture;
	struct base_id topic;
	char id[ID_TEXT_SIZE]; /* of the topic */
};

static struct stage
stage_open(gint64 now, const struct smtp_script *script)
{
	struct stage stage;
	g_autoptr(GError) error = NULL;

	base_clock_set(now);
	stage.fixture = fixture_open(script, NULL);
	struct store_topic topic = {.workspace_id = stage.fixture->key.workspace_id,
	    .name = (char *)"News",
	    .description = (char *)"",
	    .is_public = true};
	cr_assert(store_topic_create(stage.fixture->db, &topic, &error), "%s",
	    error ? error->message : "");
	stage.topic = topic.id;
	base_id_format(&topic.id, stage.id);
	return stage;
}

/* Sets the rules of the workspace, or of the topic. */
static void
stage_rule(const struct stage *stage, bool of_topic, const char *hours, const char *cap)
{
	g_autoptr(GError) error = NULL;
	const struct store_sending sending = {
	    of_topic, stage->topic, (char *)hours, (char *)cap, 0};

	cr_assert(store_sending_put(stage->fixture->db, &stage->fixture->key.workspace_id, &sending,
		      base_clock_now(), &error),
	    "%s", error ? error->message : "");
}

static struct base_id
stage_send(const struct stage *stage, const char *addresses)
{
	struct email_submission submission = fixture_submission();
	g_auto(GStrv) to = g_strsplit(addresses, " ", -1);

	submission.to = (const char **)to;
	submission.topic_id = stage->id;
	return posting_store(stage->fixture, &submission);
}

static void
stage_deliver(const struct stage *stage, gint64 now)
{
	if (now > base_clock_now())
		base_clock_set(now);
	posting_deliver(stage->fixture);
}

static void
stage_expect(const struct stage *stage, const struct base_id *email, const char *want)
{
	g_autofree char *got = fixture_events(stage->fixture, email);

	cr_expect_str_eq(got, want, "got\n%swant\n%s", got, want);
}

/* Expects the only reason and time of what waits; NULL: nothing waits. */
static void
stage_expect_wait(const struct stage *stage, const char *reason, gint64 at)
{
	g_autofree char *sql = NULL;
	gint64 count =
	    test_db_number(stage->fixture->db, "SELECT COUNT(DISTINCT reason) FROM outbox");

	cr_expect_eq(count, reason ? 1 : 0, "%d reasons", (int)count);
	if (!reason)
		return;
	sql = g_strdup_printf("SELECT COUNT(*) FROM outbox WHERE reason = '%s' AND attempts = 0"
			      " AND owner IS NULL AND ready_at = %" G_GINT64_FORMAT,
	    reason, at);
	cr_expect_neq(test_db_number(stage->fixture->db, sql), 0, "%s", sql);
}

#define DAYTIME                                                                                    \
	"{\"windows\":[{\"days\":[\"mon\",\"tue\"],\"from\":\"09:00\",\"to\":\"18:00\"}],"         \
	"\"zone\":\"UTC\"}"

Test(sending, waits_for_the_hours_without_attempt_and_event)
{
	struct stage stage = stage_open(MONDAY + 8 * HOUR, &good);

	stage_rule(&stage, false, DAYTIME, NULL);
	struct base_id first = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY + 9 * HOUR - MINUTE);
	stage_expect(&stage, &first, "");
	stage_expect_wait(
	    &stage, "hours: may leave from 2027-01-18T09:00:00.000Z", MONDAY + 9 * HOUR);
	stage_deliver(&stage, MONDAY + 9 * HOUR);
	stage_expect(&stage, &first, "0 sent\n");

	struct base_id last = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY + 18 * HOUR - MINUTE);
	stage_expect(&stage, &last, "0 sent\n");
	base_clock_set(MONDAY + DAY + 18 * HOUR);
	struct base_id late = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY + DAY + 18 * HOUR);
	stage_expect(&stage, &late, "");
	stage_expect_wait(
	    &stage, "hours: may leave from 2027-01-25T09:00:00.000Z", MONDAY + 7 * DAY + 9 * HOUR);
	fixture_close(stage.fixture);
}

Test(sending, goes_by_the_clock_of_each_person)
{
	struct stage stage = stage_open(MONDAY + 8 * HOUR, &good);

	stage_rule(&stage, false, DAYTIME, NULL);
	test_db_plain(stage.fixture->db,
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen, "
	    "last_seen,"
	    " last_event, event_count, created, updated, time_zone) SELECT w.id, w.id, 'a@x.org',"
	    " 'a@x.org', '{}', 0, 0, '', 0, 1, 1, 'Europe/Berlin' FROM workspace w"
	    " JOIN topic t ON t.workspace_id = w.id");
	/* One message for both: the one goes, the other waits in an entry of its own. */
	struct base_id both = stage_send(&stage, "a@x.org b@x.org");
	stage_deliver(&stage, MONDAY + 8 * HOUR);
	stage_expect(&stage, &both, "0 sent\n");
	stage_expect_wait(
	    &stage, "hours: may leave from 2027-01-18T09:00:00.000Z", MONDAY + 9 * HOUR);
	stage_deliver(&stage, MONDAY + 9 * HOUR);
	stage_expect(&stage, &both, "0 sent\n1 sent\n");
	fixture_close(stage.fixture);
}

Test(sending, lets_the_topic_decide_before_the_workspace)
{
	struct stage stage = stage_open(MONDAY + 8 * HOUR, &good);

	stage_rule(&stage, false, DAYTIME, NULL);
	stage_rule(&stage, true,
	    "{\"windows\":[{\"from\":\"07:00\",\"to\":\"08:30\"}],\"zone\":\"UTC\"}", NULL);
	struct base_id mail = stage_send(&stage, "a@x.org");
	struct base_id other = posting_submit(stage.fixture, "a@x.org");
	stage_deliver(&stage, MONDAY + 8 * HOUR);
	stage_expect(&stage, &mail, "0 sent\n");
	/* This one is no mailing. */
	stage_expect(&stage, &other, "0 sent\n");
	mail = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY + 10 * HOUR);
	stage_expect(&stage, &mail, "");
	/* A topic without hours has those of the workspace. */
	stage_rule(&stage, true, NULL, NULL);
	test_db_plain(stage.fixture->db, "UPDATE outbox SET ready_at = 1");
	stage_deliver(&stage, MONDAY + 10 * HOUR);
	stage_expect(&stage, &mail, "0 sent\n");
	fixture_close(stage.fixture);
}

#define CAP_2 "{\"mailings\":2,\"days\":7,\"wait\":null}"
#define CAP_1 "{\"mailings\":1,\"days\":7,\"wait\":null}"
#define CAP_1_WAIT "{\"mailings\":1,\"days\":7,\"wait\":{\"duration\":7,\"unit\":\"days\"}}"
#define SKIPPED "0 suppressed: cap: at most 2 in 7 days\n"

Test(sending, skips_what_has_no_place)
{
	struct stage stage = stage_open(MONDAY, &good);
	struct base_id mails[4];

	/* Sent before the cap is set on: takes no place. */
	mails[0] = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY);
	base_clock_set(MONDAY + HOUR);
	stage_rule(&stage, false, NULL, CAP_2);
	for (guint i = 1; i < 4; i++)
		mails[i] = stage_send(&stage, "A@x.org");
	/* All in one batch. */
	stage_deliver(&stage, MONDAY + HOUR);
	stage_expect(&stage, &mails[1], "0 sent\n");
	stage_expect(&stage, &mails[2], "0 sent\n");
	stage_expect(&stage, &mails[3], SKIPPED);
	base_clock_set(MONDAY + 7 * DAY);
	mails[1] = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY + 7 * DAY);
	stage_expect(&stage, &mails[1], SKIPPED);
	base_clock_set(MONDAY + 7 * DAY + 2 * HOUR);
	mails[1] = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, 0);
	stage_expect(&stage, &mails[1], "0 sent\n");
	fixture_close(stage.fixture);
}

Test(sending, waits_for_a_place_as_long_as_it_may)
{
	struct stage stage = stage_open(MONDAY, &good);

	stage_rule(&stage, true, NULL, CAP_1_WAIT);
	test_db_plain(stage.fixture->db, "UPDATE sending_rule SET capped_since = 1");
	struct base_id first = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY);
	test_db_plain(
	    stage.fixture->db, "UPDATE sending_place SET sent = 1800230400000 WHERE sent > 0");
	struct base_id second = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY);
	stage_expect(&stage, &first, "0 sent\n");
	stage_expect_wait(&stage,
	    "cap: at most 1 in 7 days, may leave from 2027-01-25T00:01:00.000Z",
	    MONDAY + 7 * DAY + MINUTE);
	/* A place that is free when the wait is over, and one that is a moment later. */
	struct base_id third = stage_send(&stage, "a@x.org");
	test_db_plain(stage.fixture->db,
	    "UPDATE sending_place SET sent ="
	    " (SELECT MAX(created) FROM email) WHERE sent IS NOT NULL");
	stage_deliver(&stage, 0);
	stage_expect(&stage, &third, "");
	test_db_plain(
	    stage.fixture->db, "UPDATE sending_place SET sent = sent + 1 WHERE sent IS NOT NULL");
	test_db_plain(stage.fixture->db, "UPDATE outbox SET ready_at = 1"
					 " ORDER BY id DESC LIMIT 1");
	stage_deliver(&stage, 0);
	stage_expect(&stage, &third, "0 suppressed: cap: at most 1 in 7 days\n");
	test_db_plain(
	    stage.fixture->db, "UPDATE sending_place SET sent = 1800230400000 WHERE sent > 0");
	stage_deliver(&stage, MONDAY + 7 * DAY + MINUTE);
	stage_expect(&stage, &second, "0 sent\n");
	fixture_close(stage.fixture);
}

Test(sending, gives_places_back_that_were_not_used)
{
	static const struct smtp_script refuses = {
	    .rules = {REPLY("RCPT TO:<b@*", 1, "550 5.1.1 no"),
		REPLY("RCPT TO:<a@*", 1, "451 4.2.0 later")}};
	struct stage stage = stage_open(MONDAY, &refuses);

	stage_rule(&stage, false, NULL, "{\"mailings\":1,\"days\":7,\"wait\":null}");
	/* Bounced. */
	struct base_id bounced = stage_send(&stage, "b@x.org");
	stage_deliver(&stage, MONDAY);
	cr_expect_eq(test_db_number(stage.fixture->db, "SELECT COUNT(sent) FROM sending_place"), 0);
	/* Delayed: while it waits, another may leave. */
	struct base_id delayed = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY);
	struct base_id other = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY);
	stage_expect(&stage, &other, "0 sent\n");
	stage_deliver(&stage, MONDAY + 3 * MINUTE);
	stage_expect(&stage, &delayed,
	    "0 delayed 4.2.0: 451 4.2.0 later\n"
	    "0 suppressed: cap: at most 1 in 7 days\n");
	stage_expect(&stage, &bounced, "0 bounced Permanent 5.1.1: 550 5.1.1 no\n");
	fixture_close(stage.fixture);
}

/* The metrics tell of what waits and of what is skipped, by reason. */
Test(sending, counts_what_it_keeps_back)
{
	static const char *const lines[] = {
	    "\nposthouse_mailings_held_total{reason=\"hours\"} 2\n",
	    "\nposthouse_mailings_held_total{reason=\"cap\"} 1\n",
	    "\nposthouse_mailings_skipped_total{reason=\"cap\"} 1\n",
	    "\nposthouse_mailings_skipped_total{reason=\"snoozed\"} 1\n",
	};
	struct stage stage = stage_open(MONDAY + 8 * HOUR, &good);

	stage_rule(&stage, false, DAYTIME, CAP_1_WAIT);
	stage_send(&stage, "a@x.org");
	stage_send(&stage, "b@x.org");
	stage_deliver(&stage, MONDAY + 8 * HOUR);
	stage_deliver(&stage, MONDAY + 9 * HOUR);
	stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY + 10 * HOUR);
	stage_rule(&stage, false, DAYTIME, CAP_1);
	stage_send(&stage, "b@x.org");
	stage_deliver(&stage, MONDAY + 11 * HOUR);
	test_db_plain(stage.fixture->db, "INSERT INTO snooze (workspace_id, address, until, author)"
					 " SELECT id, 's@x.org', 1900000000000, 1 FROM workspace");
	stage_send(&stage, "s@x.org");
	stage_deliver(&stage, MONDAY + 12 * HOUR);
	service_metrics_flush(stage.fixture->service, true);
	g_autofree char *text = upkeep_metrics_text(stage.fixture->service, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
		cr_expect(strstr(text, lines[i]), "no %s in %s", lines[i], text);
	fixture_close(stage.fixture);
}

static enum store_outbox_takeover
sending_ask(const char *owner, void *context)
{
	return TAKEOVER_DOUBT;
}

/* Claims all that is due, takes places, and dies. */
static void
stage_die(const struct stage *stage)
{
	struct service *service = stage->fixture->service;
	const struct store_outbox_search search = {
	    .now = base_clock_now(), .limit = 100, .ask = sending_ask};
	const struct store_outbox_claim claim = {
	    "elsewhere!", g_random_int() + 2, base_clock_now() + 10 * MINUTE};
	g_autofree struct store_outbox_entry *entries = g_new0(struct store_outbox_entry, 100);
	g_autoptr(GPtrArray) messages = g_ptr_array_new_with_free_func(delivery_message_destroy);
	guint count;

	cr_assert(store_outbox_claim(service->db, &claim, &search, entries, &count, NULL));
	delivery_message_read(service, entries, count, messages);
	delivery_message_suppress(service, messages);
	delivery_sending_hold(service, &claim, messages);
}

static void
sending_expect_place_kept(bool before)
{
	struct stage stage = stage_open(MONDAY, &good);

	if (before)
		test_db_outbox_of_before(stage.fixture->db);
	stage_rule(&stage, false, NULL, "{\"mailings\":1,\"days\":7,\"wait\":null}");
	struct base_id first = stage_send(&stage, "a@x.org");
	stage_die(&stage);
	struct base_id second = stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY);
	stage_expect(&stage, &second, "0 suppressed: cap: at most 1 in 7 days\n");
	/* The lease is over: the message takes its own place again, and leaves. */
	stage_deliver(&stage, MONDAY + 11 * MINUTE);
	stage_expect(&stage, &first, "0 sent\n");
	cr_expect_eq(test_db_number(stage.fixture->db, "SELECT COUNT(sent) FROM sending_place"), 1);
	fixture_close(stage.fixture);
}

Test(sending, keeps_the_place_of_a_process_that_died_until_it_is_recovered)
{
	sending_expect_place_kept(false);
}

/* Until the last step of "schema migrate --finish" is taken, the primary key is the id alone. */
Test(sending, keeps_the_place_of_a_process_that_died_with_the_key_of_before)
{
	sending_expect_place_kept(true);
}

Test(sending, asks_nothing_where_there_is_no_rule)
{
	struct stage stage = stage_open(MONDAY, &good);

	stage_send(&stage, "a@x.org");
	stage_rule(&stage, false, DAYTIME, CAP_2);
	stage_rule(&stage, false, NULL, NULL);
	test_db_plain(stage.fixture->db, "RENAME TABLE sending_rule TO r, sending_place TO p");
	stage_deliver(&stage, MONDAY);
	test_db_plain(stage.fixture->db, "RENAME TABLE r TO sending_rule, p TO sending_place");
	cr_expect_eq(test_db_number(stage.fixture->db, "SELECT COUNT(*) FROM outbox"), 0);
	fixture_close(stage.fixture);
}

Test(sending, forgets_places_that_no_cap_counts)
{
	struct stage stage = stage_open(MONDAY, &good);
	guint count = 0;

	stage_rule(&stage, false, NULL, CAP_2);
	stage_send(&stage, "a@x.org");
	stage_deliver(&stage, MONDAY);
	test_db_plain(stage.fixture->db, "UPDATE sending_place SET taken = 1800230400000");
	cr_assert(store_place_sweep(stage.fixture->db, MONDAY + 9 * DAY, &count, NULL));
	cr_expect_eq(count, 0);
	cr_assert(store_place_sweep(stage.fixture->db, MONDAY + 9 * DAY + 1, &count, NULL));
	cr_expect_eq(count, 2);
	fixture_close(stage.fixture);
}
