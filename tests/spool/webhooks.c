/* SPDX-License-Identifier: MIT */
/* Tests that posthouse-spool tells webhooks what is due, with a receiver on loopback. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/settings.h"
#include "core/submission.h"
#include "core/submit.h"
#include "core/webhook_hold.h"
#include "core/webhook_send.h"
#include "store/webhook_claim.h"
#include "store/user.h"
#include "store/workspace.h"
#include "tests/support/db.h"
#include "tests/support/house.h"
#include "tests/support/program.h"
#include "tests/support/receiver.h"
#include "tests/support/smtp_server.h"

#define END_MS 240000
#define NOW ((gint64)1800000000000)
#define SECOND_MS ((gint64)1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)
#define KEY "0123456789abcdef0123456789abcdef"
#define OTHER_KEY "fedcba9876543210fedcba9876543210"

TestSuite(webhooks, .timeout = 900);

#define SETTINGS "[smtp]\ntls = none\n[fetch]\nallow = 127.0.0.0/8\n[dns]\nservers = 127.0.0.1:9\n"

static struct test_house *
open_house(void)
{
	return test_house_open(NULL, SETTINGS);
}

static GBytes *
seal(const struct test_house *house, const struct base_id *id, const char *key)
{
	g_autoptr(GBytes) plain = g_bytes_new_static(key, 32);

	return base_secret_encrypt(base_settings_secret(house->settings), plain, id, sizeof(*id));
}

static void
must(bool done, const GError *error)
{
	cr_assert(done, "%s", error ? error->message : "");
}

static struct base_id
add_webhook_at(struct test_house *house, const char *url, bool batch)
{
	static const char sql[] =
	    "INSERT INTO webhook (id, workspace_id, url, events, enabled, batch, description,"
	    " created, secret) VALUES (?, ?, ?, 0, 1, ?, '', ?, ?)";
	struct base_id id = base_id_new();
	g_autoptr(GBytes) secret = seal(house, &id, KEY);
	g_autoptr(GError) error = NULL;
	gsize size;
	const void *bytes = g_bytes_get_data(secret, &size);

	must(db_run(house->db, sql,
		 DB_VALUES(db_id(&id), db_id(&house->workspace), db_text(url), db_int(batch),
		     db_int(NOW), db_bytes(bytes, size)),
		 NULL, &error),
	    error);
	return id;
}

static struct base_id
add_webhook(struct test_house *house, struct receiver *receiver, bool batch)
{
	g_autofree char *url =
	    g_strdup_printf("http://127.0.0.1:%u/hook?a=1", receiver_port(receiver));

	return add_webhook_at(house, url, batch);
}

/* Adds an event of that time, which counts as one of an email if that is given. number is its data.
 */
static struct base_id
add_event(struct test_house *house, const struct base_id *webhook, const struct base_id *email,
    gint64 at, guint number)
{
	static const char event[] =
	    "INSERT INTO webhook_event (id, workspace_id, created, type, data)"
	    " VALUES (?, ?, ?, 13, ?)";
	static const char delivery[] =
	    "INSERT INTO webhook_delivery (webhook_id, id, workspace_id, event_id, type, email_id,"
	    " created, status, attempts, next_attempt) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 0, ?)";
	static guint made;
	struct base_id id = base_id_at(at), told;
	g_autofree char *data = g_strdup_printf("{\"number\":%u}", number);
	g_autoptr(GError) error = NULL;

	/* If two events have the same time, the later one has the greater id. */
	made++;
	id.bytes[6] = (guint8)(0x70 | (made >> 8 & 15));
	id.bytes[7] = (guint8)made;
	/* As WEBHOOK_DELIVERY_ID has it. */
	told = id;
	memcpy(told.bytes + 14, webhook->bytes + 14, 2);
	must(db_run(house->db, event,
		 DB_VALUES(db_id(&id), db_id(&house->workspace), db_int(at), db_text(data)), NULL,
		 &error) &&
		 db_run(house->db, delivery,
		     DB_VALUES(db_id(webhook), db_id(&told), db_id(&house->workspace), db_id(&id),
			 db_int(WEBHOOK_CONTACT_CREATED), db_id(email), db_int(at), db_int(at)),
		     NULL, &error),
	    error);
	return id;
}

static void
add_events(struct test_house *house, const struct base_id *webhook, gint64 at, guint count)
{
	for (guint i = 0; i < count; i++)
		add_event(house, webhook, NULL, at, i);
}

static struct test_program *
start(struct test_house *house, gint64 now, const char *jobs)
{
	g_autofree char *time = g_strdup_printf("--now=%" G_GINT64_FORMAT, now);
	const char *const argv[] = {
	    "posthouse-spool", "--config", house->config, "--once", "--jobs", jobs, time, NULL};

	return test_program_start(argv, NULL, -1, -1);
}

static void
run(struct test_house *house, gint64 now)
{
	AUTO(test_program) program = start(house, now, "1");
	int status = test_program_wait(program, END_MS);
	g_autofree char *log = test_program_log(program);

	cr_assert_eq(status, 0, "%d: %s", status, log);
}

static void
expect(struct test_house *house, const char *name, const char *sql, gint64 want)
{
	gint64 got = test_db_number(house->db, sql);

	cr_expect_eq(got, want, "%s: %s: got %" G_GINT64_FORMAT ", want %" G_GINT64_FORMAT, name,
	    sql, got, want);
}

#define WITH(status) "SELECT COUNT(*) FROM webhook_delivery WHERE status = " #status
#define ATTEMPTS "SELECT COUNT(*) FROM webhook_attempt"

static char *
sign(const char *key, const char *id, const char *time, const char *body)
{
	g_autofree char *text = g_strdup_printf("%s.%s.%s", id, time, body);
	g_autoptr(GHmac) hmac = g_hmac_new(G_CHECKSUM_SHA256, (const guchar *)key, 32);
	guint8 digest[32];
	gsize size = sizeof(digest);

	g_hmac_update(hmac, (const guchar *)text, -1);
	g_hmac_get_digest(hmac, digest, &size);
	g_autofree char *encoded = g_base64_encode(digest, size);
	return g_strconcat("v1,", encoded, NULL);
}

static void
expect_header(const struct receiver_request *request, const char *name, const char *want)
{
	g_autofree char *got = receiver_header(request, name);

	cr_expect_str_eq(got ? got : "-", want, "%s: got %s, want %s", name, got, want);
}

Test(webhooks, are_told_in_the_form_of_standard_webhooks)
{
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);
	struct base_id webhook = add_webhook(house, receiver, false);
	struct base_id id = add_event(house, &webhook, NULL, NOW, 7);
	char text[ID_TEXT_SIZE];

	run(house, NOW + 1000);
	cr_assert_eq(receiver_count(receiver), 1);
	const struct receiver_request *request = receiver_get(receiver, 0);
	g_autofree char *time = receiver_header(request, "webhook-timestamp");
	g_autofree char *length = g_strdup_printf("%zu", request->size);
	g_autofree char *body =
	    g_strdup_printf("{\"id\":\"%s\",\"type\":\"contact.created\","
			    "\"timestamp\":\"2027-01-15T08:00:00.000Z\",\"data\":{\"number\":7}}",
		base_id_format(&id, text));
	cr_expect(
	    g_str_has_prefix(request->head, "POST /hook?a=1 HTTP/1.1\r\n"), "%s", request->head);
	cr_expect_str_eq(request->body, body);
	expect_header(request, "Content-Type", "application/json");
	expect_header(request, "User-Agent", "Posthouse-Webhooks/" PACKAGE_VERSION);
	expect_header(request, "Content-Length", length);
	cr_assert_not_null(time);
	gint64 seconds = g_ascii_strtoll(time, NULL, 10);
	cr_expect(seconds >= NOW / 1000 + 1 && seconds < NOW / 1000 + 60, "%s", time);
	g_autofree char *signature = sign(KEY, text, time, request->body);
	const char *const prefixes[] = {"webhook", "svix"};
	for (gsize i = 0; i < G_N_ELEMENTS(prefixes); i++) {
		g_autofree char *names[] = {g_strconcat(prefixes[i], "-id", NULL),
		    g_strconcat(prefixes[i], "-timestamp", NULL),
		    g_strconcat(prefixes[i], "-signature", NULL)};

		expect_header(request, names[0], text);
		expect_header(request, names[1], time);
		expect_header(request, names[2], signature);
		g_free(names[1]);
		g_free(names[2]);
	}
	expect(house, "succeeded", WITH(2) " AND next_attempt IS NULL AND attempts = 1", 1);
	expect(house, "attempt",
	    ATTEMPTS " WHERE number = 1 AND response_status = 200 AND response_body = 'ok'"
		     " AND error IS NULL AND duration < 10000",
	    1);
	expect(house, "free", "SELECT COUNT(*) FROM webhook WHERE token IS NULL", 1);
}

Test(webhooks, are_signed_with_both_secrets_after_a_rotation)
{
	static const char sql[] =
	    "UPDATE webhook SET previous_secret = ?, previous_expires = ? WHERE id = ?";
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);
	struct base_id webhook = add_webhook(house, receiver, false);
	g_autoptr(GBytes) secret = seal(house, &webhook, OTHER_KEY);
	g_autoptr(GError) error = NULL;
	gsize size;
	const void *bytes = g_bytes_get_data(secret, &size);

	must(db_run(house->db, sql,
		 DB_VALUES(db_bytes(bytes, size), db_int(NOW + HOUR_MS), db_id(&webhook)), NULL,
		 &error),
	    error);
	add_event(house, &webhook, NULL, NOW, 0);
	run(house, NOW);
	add_event(house, &webhook, NULL, NOW, 0);
	run(house, NOW + HOUR_MS + 1);
	cr_assert_eq(receiver_count(receiver), 2);
	for (guint i = 0; i < 2; i++) {
		const struct receiver_request *request = receiver_get(receiver, i);
		g_autofree char *id = receiver_header(request, "webhook-id");
		g_autofree char *time = receiver_header(request, "webhook-timestamp");
		g_autofree char *new = sign(KEY, id, time, request->body);
		g_autofree char *old = sign(OTHER_KEY, id, time, request->body);
		g_autofree char *both = g_strconcat(new, " ", old, NULL);

		expect_header(request, "webhook-signature", i == 0 ? both : new);
	}
}

/* Answers with the statuses of data, one after the other, then with the last of them. */
static char *
say_in_turn(guint number, const struct receiver_request *request, void *data)
{
	const guint *statuses = data;
	guint i = 0;

	while (i < number && statuses[i + 1] != 0)
		i++;
	return receiver_say(statuses[i], "said");
}

Test(webhooks, are_tried_again_by_the_schedule)
{
	static const gint64 delays[] = {5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS,
	    2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS};
	static guint statuses[] = {500, 0};
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(say_in_turn, statuses);
	struct base_id webhook = add_webhook(house, receiver, false);
	gint64 now = NOW;

	add_event(house, &webhook, NULL, NOW, 0);
	for (guint i = 0; i <= G_N_ELEMENTS(delays); i++) {
		run(house, now);
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
		run(house, next - 60000);
		cr_assert_eq(receiver_count(receiver), i + 1, "too early after %u", i + 1);
		now = next;
	}
	expect(house, "failed", WITH(3) " AND next_attempt IS NULL AND attempts = 11", 1);
	expect(house, "attempts", ATTEMPTS " WHERE response_status = 500", 11);
	test_db_plain(house->db, "UPDATE webhook SET rest_until = 0");
	run(house, now + 30 * DAY_MS);
	cr_expect_eq(receiver_count(receiver), 11);
	g_autofree char *first_id = receiver_header(receiver_get(receiver, 0), "webhook-id");
	g_autofree char *last_id = receiver_header(receiver_get(receiver, 10), "webhook-id");
	cr_expect_str_eq(first_id, last_id);
}

Test(webhooks, rest_after_failures)
{
	static guint statuses[] = {500, 503, 404, 302, 500, 500, 500, 500, 500, 500, 500, 200, 0};
	static const int rests[] = {1, 2, 4, 8, 15, 15};
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(say_in_turn, statuses);
	struct base_id webhook = add_webhook(house, receiver, false);

	add_events(house, &webhook, NOW, 30);
	run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 5);
	gint64 now = NOW;
	for (guint i = 0; i < G_N_ELEMENTS(rests); i++) {
		gint64 ended = test_db_number(
		    house->db, "SELECT MAX(timestamp + duration) FROM webhook_attempt");
		gint64 until = test_db_number(house->db, "SELECT rest_until FROM webhook");
		cr_expect_eq(until - ended, rests[i] * MINUTE_MS, "rest %u: %d s", i,
		    (int)((until - ended) / 1000));
		run(house, until - 55 * SECOND_MS);
		cr_assert_eq(receiver_count(receiver), 5 + i, "it did not rest");
		run(house, now = until);
		cr_assert_eq(receiver_count(receiver), 6 + i, "one attempt after rest %u", i);
	}
	expect(house, "failing", "SELECT failures = 11 AND failing_since > 0 FROM webhook", 1);
	gint64 until = test_db_number(house->db, "SELECT rest_until FROM webhook");
	run(house, until);
	expect(house, "all told", WITH(2), 30);
	expect(house, "healthy",
	    "SELECT failures = 0 AND failing_since IS NULL AND rest_until = 0 FROM webhook", 1);
}

Test(webhooks, are_switched_off_when_gone)
{
	static guint statuses[] = {200, 410, 0};
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(say_in_turn, statuses);
	struct base_id webhook = add_webhook(house, receiver, false);

	test_db_plain(house->db, "UPDATE workspace SET default_sender = 'a@example.org'");
	add_events(house, &webhook, NOW, 1);
	run(house, NOW);
	test_db_plain(house->db, "UPDATE webhook SET slow = 1");
	add_events(house, &webhook, NOW, 3);
	run(house, NOW);
	cr_expect_eq(receiver_count(receiver), 2);
	expect(house, "off", "SELECT enabled = 0 AND disabled_reason = 1 FROM webhook", 1);
	expect(house, "failed", WITH(3) " AND next_attempt IS NULL", 1);
	expect(house, "waiting", WITH(1) " AND next_attempt > 0", 2);
	expect(house, "told nobody", "SELECT COUNT(*) FROM email", 0);
	run(house, NOW + DAY_MS);
	cr_expect_eq(receiver_count(receiver), 2);
}

Test(webhooks, are_switched_off_after_five_days_of_failures)
{
	static guint statuses[] = {500, 0};
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(say_in_turn, statuses);
	struct base_id webhook = add_webhook(house, receiver, false);
	struct store_user user = {.email = "bob@example.org"};
	g_autoptr(GError) error = NULL;

	test_house_domain(house, "example.org");
	test_db_plain(house->db, "UPDATE workspace SET default_sender = 'Post <a@example.org>'");
	must(store_user_add(house->db, &house->workspace, &user, NULL, &error), error);
	add_events(house, &webhook, NOW, 1);
	run(house, NOW);
	gint64 since = test_db_number(house->db, "SELECT failing_since FROM webhook");
	expect(house, "first failure",
	    "SELECT timestamp = failing_since FROM webhook_attempt, webhook", 1);
	add_events(house, &webhook, NOW, 3);
	run(house, since + 5 * DAY_MS - HOUR_MS);
	expect(house, "on", "SELECT enabled FROM webhook", 1);
	test_db_plain(house->db, "UPDATE webhook SET rest_until = 0");
	guint before = receiver_count(receiver);
	run(house, since + 5 * DAY_MS + HOUR_MS);
	cr_expect_eq(receiver_count(receiver), before + 1);
	expect(house, "off", "SELECT enabled = 0 AND disabled_reason = 2 FROM webhook", 1);
	expect(house, "told",
	    "SELECT COUNT(*) FROM email WHERE subject = 'Webhook disabled: 127.0.0.1'"
	    " AND sender LIKE '%a@example.org%'",
	    2);
	expect(house, "whom",
	    "SELECT COUNT(DISTINCT address) FROM recipient"
	    " WHERE address IN ('ann@example.org', 'bob@example.org')",
	    2);
}

/* Until four requests are there at once. */
static char *
hold_up(guint number, const struct receiver_request *request, void *data)
{
	struct receiver **receiver = data;

	for (guint i = 0; receiver_most(*receiver) < 4 && i < 60000; i++)
		g_usleep(1000);
	g_usleep(20000);
	return receiver_say(strstr(request->body, "\"number\":3}") ? 500 : 200, "said");
}

/* 8 emails with 3 events each, mixed: at the receiver, the first attempts for each email are in
   order and never at once. One of them fails and holds back nobody. */
Test(webhooks, keep_the_order_of_each_email)
{
	AUTO(test_house) house = open_house();
	static struct receiver *held;
	AUTO(receiver) receiver = receiver_start(hold_up, &held);
	struct base_id webhook = add_webhook(house, receiver, false);
	struct base_id emails[8], ids[8][3];

	held = receiver;
	test_db_plain(house->db, "UPDATE webhook SET slow = 0");
	for (guint i = 0; i < G_N_ELEMENTS(emails); i++)
		emails[i] = base_id_new();
	for (guint j = 0; j < 3; j++)
		for (guint i = 0; i < G_N_ELEMENTS(emails); i++)
			ids[i][j] = add_event(
			    house, &webhook, &emails[i], NOW + j, i == 7 && j == 1 ? 3 : 0);
	AUTO(test_program) program = start(house, NOW + 100, "4");
	cr_assert_eq(test_program_wait(program, END_MS), 0);
	cr_assert_eq(receiver_count(receiver), 24);
	cr_expect_eq(receiver_connections(receiver), 4, "%u", receiver_connections(receiver));
	cr_expect_eq(receiver_most(receiver), 4);
	for (guint i = 0; i < G_N_ELEMENTS(emails); i++) {
		guint next = 0;
		gint64 last = 0;

		for (guint k = 0; k < 24; k++) {
			const struct receiver_request *request = receiver_get(receiver, k);
			g_autofree char *id = receiver_header(request, "webhook-id");
			struct base_id got;

			cr_assert(base_id_parse(id, &got));
			for (guint j = 0; j < 3; j++)
				if (base_id_equal(&got, &ids[i][j])) {
					cr_expect_eq(j, next++, "email %u: event %u", i, j);
					cr_expect(request->at - last >= 20000, "at once");
					last = request->at;
				}
		}
	}
	expect(house, "told", WITH(2), 23);
	expect(house, "again", WITH(1), 1);
}

#define IN_SECOND "{\"number\":100}"

/* Fails the batch of the second hundred once. */
static char *
fail_second(guint number, const struct receiver_request *request, void *failed)
{
	bool fails = strstr(request->body, IN_SECOND) &&
		     g_atomic_int_compare_and_exchange((gint *)failed, 0, 1);

	return receiver_say(fails ? 500 : 200, "said");
}

Test(webhooks, are_told_batches_that_stay_together)
{
	static gint has_failed;
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(fail_second, &has_failed);
	struct base_id webhook = add_webhook(house, receiver, true);

	add_events(house, &webhook, NOW, 230);
	run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 3);
	expect(house, "told", WITH(2) " AND batch_id IS NULL", 130);
	expect(house, "together",
	    "SELECT COUNT(*) FROM webhook_delivery WHERE status = 1 AND attempts = 1 AND"
	    " batch_id = (SELECT id FROM webhook_batch)"
	    " AND next_attempt = (SELECT MAX(next_attempt) FROM webhook_delivery)",
	    100);
	add_events(house, &webhook, NOW, 1);
	run(house, NOW + 30 * SECOND_MS);
	cr_assert_eq(receiver_count(receiver), 5);
	expect(house, "all", WITH(2) " AND batch_id IS NULL", 231);
	expect(house, "none left", "SELECT COUNT(*) FROM webhook_batch", 0);
	expect(house, "attempts", ATTEMPTS, 331);
	bool repeated = false;
	guint second = strstr(receiver_get(receiver, 1)->body, IN_SECOND) ? 1 : 2;
	for (guint i = 3; i < 5; i++) {
		const struct receiver_request *failed = receiver_get(receiver, second);
		const struct receiver_request *request = receiver_get(receiver, i);
		g_autofree char *id = receiver_header(failed, "webhook-id");
		g_autofree char *same = receiver_header(request, "webhook-id");

		if (strcmp(id, same) == 0)
			repeated = strcmp(failed->body, request->body) == 0;
		else
			cr_expect_not_null(strstr(request->body, "\"data\":[{"));
	}
	cr_expect(repeated, "it was not sent again as it was");
	const struct receiver_request *request = receiver_get(receiver, 0);
	g_autofree char *id = receiver_header(request, "webhook-id");
	g_autofree char *begin =
	    g_strdup_printf("{\"id\":\"%s\",\"type\":\"batch\",\"timestamp\":\"", id);
	cr_expect(g_str_has_prefix(request->body, begin), "%.100s", request->body);
	const char *place = request->body;
	for (guint i = 0; i < 100; i++) {
		g_autofree char *data = g_strdup_printf("{\"number\":%u}", i);

		place = strstr(place, data);
		cr_assert_not_null(place, "event %u is not in its place", i);
	}
	cr_expect_null(strstr(request->body, IN_SECOND));
}

/* A receiver that hangs until the end; a good one beside it gets everything at once. */
static char *
hang(guint number, const struct receiver_request *request, void *is_over)
{
	while (!g_atomic_int_get((gint *)is_over))
		g_usleep(1000);
	return NULL;
}

Test(webhooks, are_not_delayed_by_dead_ones)
{
	AUTO(test_house) house = open_house();
	AUTO(receiver) good = receiver_start(NULL, NULL);
	static gint is_over;
	AUTO(receiver) bad = receiver_start(hang, &is_over);
	struct base_id webhook, dead;
	gint64 begin = g_get_monotonic_time();

	for (guint i = 0; i < 30; i++) {
		dead = add_webhook(house, bad, false);
		add_events(house, &dead, NOW, 3);
	}
	webhook = add_webhook(house, good, false);
	test_db_plain(house->db, "UPDATE webhook SET slow = 0");
	add_events(house, &webhook, NOW, 200);
	AUTO(test_program) program = start(house, NOW, "1");
	while (receiver_count(good) < 200 && g_get_monotonic_time() - begin < END_MS * 1000)
		g_usleep(1000);
	guint waited = receiver_count(bad);
	g_atomic_int_set(&is_over, 1);
	cr_expect_eq(receiver_count(good), 200);
	cr_expect(waited < 20, "it had to wait for %u", waited);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, END_MS), 0);
}

static char *
be_quick(guint number, const struct receiver_request *request, void *data)
{
	g_usleep(5000);
	return receiver_say(200, "ok");
}

/* The program is killed again and again; what was not recorded is told again. */
Test(webhooks, lose_nothing_when_killed)
{
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(be_quick, NULL);
	struct base_id webhook = add_webhook(house, receiver, false);
	g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	add_events(house, &webhook, NOW, 300);
	for (guint i = 1; i <= 4; i++) {
		AUTO(test_program) program = start(house, NOW, "2");

		for (guint k = 0; receiver_count(receiver) < 50 * i && k < 12000; k++)
			g_usleep(10000);
		test_program_kill_all(program);
	}
	gint64 begin = g_get_monotonic_time();
	run(house, NOW);
	cr_expect(
	    g_get_monotonic_time() - begin < WEBHOOK_LEASE_MS * 1000, "it waited for the dead");
	expect(house, "all told", WITH(2), 300);
	for (guint i = 0; i < receiver_count(receiver); i++)
		g_hash_table_add(told, receiver_header(receiver_get(receiver, i), "webhook-id"));
	cr_expect_eq(g_hash_table_size(told), 300);
}

Test(webhooks, are_tested_at_once)
{
	static guint statuses[] = {500, 200, 0};
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(say_in_turn, statuses);
	struct base_id webhook = add_webhook(house, receiver, true), delivery,
		       other = base_id_new();
	g_autoptr(GError) error = NULL;
	char text[ID_TEXT_SIZE];

	test_db_plain(house->db, "UPDATE webhook SET enabled = 0");
	for (guint i = 0; i < 2; i++)
		must(core_webhook_test(house->core, &house->workspace, &webhook, &delivery, &error),
		    error);
	cr_assert_eq(receiver_count(receiver), 2);
	g_autofree char *data =
	    g_strdup_printf("\"data\":{\"webhook_id\":\"%s\"}", base_id_format(&webhook, text));
	cr_expect_not_null(strstr(receiver_get(receiver, 0)->body, data));
	expect(house, "failed", WITH(3) " AND next_attempt IS NULL AND attempts = 1", 1);
	expect(house, "succeeded", WITH(2) " AND next_attempt IS NULL AND attempts = 1", 1);
	expect(house, "no rest", "SELECT failures = 0 AND failing_since IS NULL FROM webhook", 1);
	cr_expect_not(core_webhook_test(house->core, &house->workspace, &other, &delivery, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND));
	run(house, NOW);
	cr_expect_eq(receiver_count(receiver), 2);
}

/* A workspace may have many webhooks, here at one receiver. */
Test(webhooks, are_told_by_the_thousand)
{
	static guint statuses[] = {200, 0};
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(say_in_turn, statuses);

	for (guint i = 0; i < 1000; i++) {
		struct base_id webhook = add_webhook(house, receiver, i % 2 == 0);

		add_event(house, &webhook, NULL, NOW, i);
	}
	run(house, NOW);
	cr_expect_eq(receiver_count(receiver), 1000);
	expect(house, "succeeded", WITH(2), 1000);
	expect(house, "leases", "SELECT COUNT(*) FROM webhook WHERE owner IS NOT NULL", 0);
}

/* After 30 days what is done goes, with its attempts and event; what waits stays, and nothing stays
   of a webhook that is deleted. */
Test(webhooks, are_tidied_up)
{
	static guint statuses[] = {200, 500, 0};
	AUTO(test_house) house = open_house();
	AUTO(receiver) receiver = receiver_start(say_in_turn, statuses);
	struct base_id webhook = add_webhook(house, receiver, false);

	add_events(house, &webhook, NOW, 2);
	run(house, NOW);
	test_db_plain(house->db, "UPDATE webhook SET enabled = 0");
	run(house, NOW + 30 * DAY_MS - MINUTE_MS);
	expect(house, "kept", "SELECT COUNT(*) FROM webhook_delivery", 2);
	run(house, NOW + 30 * DAY_MS + MINUTE_MS);
	expect(house, "waiting", WITH(1), 1);
	expect(house, "done", WITH(2), 0);
	expect(house, "attempts", ATTEMPTS " WHERE response_status = 500", 1);
	expect(house, "all attempts", ATTEMPTS, 1);
	expect(house, "events", "SELECT COUNT(*) FROM webhook_event", 1);
	test_db_plain(house->db, "DELETE FROM webhook");
	run(house, NOW + 30 * DAY_MS + MINUTE_MS);
	expect(house, "deliveries", "SELECT COUNT(*) FROM webhook_delivery", 0);
	expect(house, "attempts", ATTEMPTS, 0);
	run(house, NOW + 30 * DAY_MS + MINUTE_MS);
	expect(house, "events", "SELECT COUNT(*) FROM webhook_event", 0);
}

/* A delivery that is replayed during its attempt is due again. */
static char *
replay(guint number, const struct receiver_request *request, void *data)
{
	if (number == 0)
		g_free(test_mariadb_sql(NULL,
		    "UPDATE %s.webhook_delivery SET attempts = 0, next_attempt = next_attempt + 1",
		    (const char *)data));
	return receiver_say(200, "");
}

Test(webhooks, can_be_replayed_under_way)
{
	AUTO(test_house) house = open_house();
	g_autofree char *database = test_db_text(house->db, "SELECT DATABASE()");
	AUTO(receiver) receiver = receiver_start(replay, database);
	struct base_id webhook = add_webhook(house, receiver, false);

	add_event(house, &webhook, NULL, NOW, 0);
	run(house, NOW + 1000);
	cr_expect_eq(receiver_count(receiver), 2);
	expect(house, "told", WITH(2) " AND made = 2 AND attempts = 1", 1);
	expect(house, "attempts", "SELECT MAX(number) FROM webhook_attempt", 2);
}

/* One run sends an email, and tells that it was sent. */
Test(webhooks, are_told_what_the_same_run_caused)
{
	static const struct smtp_script script = {.extensions = NULL};
	static const char *to[] = {"b@example.net", NULL};
	AUTO(smtp_server) relay = smtp_server_start(&script);
	g_autofree char *more = g_strdup_printf("[smtp]\ntls = none\nport = %u\n[fetch]\nallow = "
						"127.0.0.0/8\n[service]\nmode = spool\n",
	    smtp_server_port(relay));
	AUTO(test_house) house = test_house_open(NULL, more);
	AUTO(receiver) receiver = receiver_start(NULL, NULL);
	const struct core_submission submission = {
	    .from = "a@example.org", .to = to, .subject = "S", .html = "<p>Hi"};
	g_autoptr(GError) error = NULL;

	add_webhook(house, receiver, false);
	test_db_plain(house->db, "UPDATE webhook SET events = 0xffffff");
	test_house_domain(house, "example.org");
	gint64 before = test_db_number(house->db, WITH(1));
	struct core_sending *sending =
	    core_send_check(house->core, &house->workspace, &submission, NULL, &error);
	must(sending, error);
	AUTO(core_request) request = &sending->request;
	must(core_request_store_one(house->core, request, &error), error);
	AUTO(test_program) program = start(house, base_clock_now(), "2");
	cr_expect_eq(test_program_wait(program, END_MS), 0);
	smtp_server_stop(relay);
	cr_expect_eq(smtp_server_count(relay), 1);
	cr_assert_eq(receiver_count(receiver), before + 1);
	cr_expect_not_null(
	    strstr(receiver_get(receiver, (guint)before)->body, "\"type\":\"email.sent\""), "%s",
	    receiver_get(receiver, (guint)before)->body);
}
