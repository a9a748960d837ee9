/* SPDX-License-Identifier: MIT */
/* Tests that posthouse-spool tells webhooks what is due, with a receiver on loopback. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/transaction.h"
#include "email/draft.h"
#include "email/submission.h"
#include "store/email/email.h"
#include "store/email/event.h"
#include "submit/submit.h"
#include "tests/spool/telling.h"
#include "tests/support/db.h"
#include "tests/support/smtp_server.h"
#include "webhook/lease.h"
#include "webhook/send.h"

TestSuite(webhooks, .timeout = 900);

static char *
webhooks_sign(const char *key, const char *id, const char *time, const char *body)
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
webhooks_expect_header(const struct receiver_request *request, const char *name, const char *want)
{
	g_autofree char *got = receiver_header(request, name);

	cr_expect_str_eq(got ? got : "-", want, "%s: got %s, want %s", name, got, want);
}

Test(webhooks, are_told_in_the_form_of_standard_webhooks)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);
	struct base_id webhook = telling_webhook(house, receiver, false);
	struct base_id id = telling_event(house, &webhook, NULL, NOW, 7);
	char text[ID_TEXT_SIZE];

	telling_run(house, NOW + 1000);
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
	webhooks_expect_header(request, "Content-Type", "application/json");
	webhooks_expect_header(request, "User-Agent", "Posthouse-Webhooks/" PACKAGE_VERSION);
	webhooks_expect_header(request, "Content-Length", length);
	cr_assert_not_null(time);
	gint64 seconds = g_ascii_strtoll(time, NULL, 10);
	cr_expect(seconds >= NOW / 1000 + 1 && seconds < NOW / 1000 + 60, "%s", time);
	g_autofree char *signature = webhooks_sign(KEY, text, time, request->body);
	const char *const prefixes[] = {"webhook", "svix"};
	for (gsize i = 0; i < G_N_ELEMENTS(prefixes); i++) {
		g_autofree char *names[] = {g_strconcat(prefixes[i], "-id", NULL),
		    g_strconcat(prefixes[i], "-timestamp", NULL),
		    g_strconcat(prefixes[i], "-signature", NULL)};

		webhooks_expect_header(request, names[0], text);
		webhooks_expect_header(request, names[1], time);
		webhooks_expect_header(request, names[2], signature);
		g_free(names[1]);
		g_free(names[2]);
	}
	telling_expect(house, "succeeded", WITH(2) " AND next_attempt IS NULL AND attempts = 1", 1);
	telling_expect(house, "attempt",
	    ATTEMPTS " WHERE number = 1 AND response_status = 200 AND response_body = 'ok'"
		     " AND error IS NULL AND duration < 10000",
	    1);
	telling_expect(house, "free", "SELECT COUNT(*) FROM webhook WHERE token IS NULL", 1);
}

Test(webhooks, are_signed_with_both_secrets_after_a_rotation)
{
	static const char sql[] =
	    "UPDATE webhook SET previous_secret = ?, previous_expires = ? WHERE id = ?";
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);
	struct base_id webhook = telling_webhook(house, receiver, false);
	g_autoptr(GBytes) secret = telling_seal(house, &webhook, OTHER_KEY);
	g_autoptr(GError) error = NULL;
	gsize size;
	const void *bytes = g_bytes_get_data(secret, &size);

	telling_must(db_run(house->db, sql,
			 DB_VALUES(db_bytes(bytes, size), db_int(NOW + HOUR_MS), db_id(&webhook)),
			 NULL, &error),
	    error);
	telling_event(house, &webhook, NULL, NOW, 0);
	telling_run(house, NOW);
	telling_event(house, &webhook, NULL, NOW, 0);
	telling_run(house, NOW + HOUR_MS + 1);
	cr_assert_eq(receiver_count(receiver), 2);
	for (guint i = 0; i < 2; i++) {
		const struct receiver_request *request = receiver_get(receiver, i);
		g_autofree char *id = receiver_header(request, "webhook-id");
		g_autofree char *time = receiver_header(request, "webhook-timestamp");
		g_autofree char *new = webhooks_sign(KEY, id, time, request->body);
		g_autofree char *old = webhooks_sign(OTHER_KEY, id, time, request->body);
		g_autofree char *both = g_strconcat(new, " ", old, NULL);

		webhooks_expect_header(request, "webhook-signature", i == 0 ? both : new);
	}
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
	AUTO(test_house) house = telling_house();
	static struct receiver *held;
	AUTO(receiver) receiver = receiver_start(hold_up, &held);
	struct base_id webhook = telling_webhook(house, receiver, false);
	struct base_id emails[8], ids[8][3];

	held = receiver;
	test_db_plain(house->db, "UPDATE webhook SET slow = 0");
	for (guint i = 0; i < G_N_ELEMENTS(emails); i++)
		emails[i] = base_id_new();
	for (guint j = 0; j < 3; j++)
		for (guint i = 0; i < G_N_ELEMENTS(emails); i++)
			ids[i][j] = telling_event(
			    house, &webhook, &emails[i], NOW + j, i == 7 && j == 1 ? 3 : 0);
	AUTO(test_program) program = telling_start(house, NOW + 100, "4");
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
	telling_expect(house, "told", WITH(2), 23);
	telling_expect(house, "again", WITH(1), 1);
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
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(fail_second, &has_failed);
	struct base_id webhook = telling_webhook(house, receiver, true);

	telling_events(house, &webhook, NOW, 230);
	telling_run(house, NOW);
	cr_assert_eq(receiver_count(receiver), 3);
	telling_expect(house, "told", WITH(2) " AND batch_id IS NULL", 130);
	telling_expect(house, "together",
	    "SELECT COUNT(*) FROM webhook_delivery WHERE status = 1 AND attempts = 1 AND"
	    " batch_id = (SELECT id FROM webhook_batch)"
	    " AND next_attempt = (SELECT MAX(next_attempt) FROM webhook_delivery)",
	    100);
	telling_events(house, &webhook, NOW, 1);
	telling_run(house, NOW + 30 * SECOND_MS);
	cr_assert_eq(receiver_count(receiver), 5);
	telling_expect(house, "all", WITH(2) " AND batch_id IS NULL", 231);
	telling_expect(house, "none left", "SELECT COUNT(*) FROM webhook_batch", 0);
	telling_expect(house, "attempts", ATTEMPTS, 331);
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

/* webhook.test has the form of the other requests to its webhook. */
Test(webhooks, are_tested_with_a_batch_of_one)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(NULL, NULL);

	for (guint batch = 0; batch < 2; batch++) {
		struct base_id webhook = telling_webhook(house, receiver, batch == 1), delivery;
		g_autoptr(GError) error = NULL;

		telling_must(
		    webhook_test(house->service, &house->workspace, &webhook, &delivery, &error),
		    error);
		const struct receiver_request *request = receiver_get(receiver, batch);
		g_autofree char *id = receiver_header(request, "webhook-id");
		g_autofree char *begin = g_strdup_printf(
		    "{\"id\":\"%s\",\"type\":\"%s\",", id, batch == 1 ? "batch" : "webhook.test");
		cr_expect(g_str_has_prefix(request->body, begin), "%s", request->body);
		cr_expect_eq(strstr(request->body, "\"data\":[{") != NULL, batch == 1);
	}
	telling_expect(house, "attempts", ATTEMPTS, 2);
	telling_expect(house, "none waits", "SELECT COUNT(*) FROM webhook_batch", 0);
}

/* A receiver that hangs until the end; a good one beside it gets everything at once. */
static char *
webhooks_hang(guint number, const struct receiver_request *request, void *is_over)
{
	while (!g_atomic_int_get((gint *)is_over))
		g_usleep(1000);
	return NULL;
}

Test(webhooks, are_not_delayed_by_dead_ones)
{
	AUTO(test_house) house = telling_house();
	AUTO(receiver) good = receiver_start(NULL, NULL);
	static gint is_over;
	AUTO(receiver) bad = receiver_start(webhooks_hang, &is_over);
	struct base_id webhook, dead;
	gint64 begin = g_get_monotonic_time();

	for (guint i = 0; i < 30; i++) {
		dead = telling_webhook(house, bad, false);
		telling_events(house, &dead, NOW, 3);
	}
	webhook = telling_webhook(house, good, false);
	test_db_plain(house->db, "UPDATE webhook SET slow = 0");
	telling_events(house, &webhook, NOW, 200);
	AUTO(test_program) program = telling_start(house, NOW, "1");
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
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(be_quick, NULL);
	struct base_id webhook = telling_webhook(house, receiver, false);
	g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	telling_events(house, &webhook, NOW, 300);
	for (guint i = 1; i <= 4; i++) {
		AUTO(test_program) program = telling_start(house, NOW, "2");

		for (guint k = 0; receiver_count(receiver) < 50 * i && k < 12000; k++)
			g_usleep(10000);
		test_program_kill_all(program);
	}
	gint64 begin = g_get_monotonic_time();
	telling_run(house, NOW);
	cr_expect(
	    g_get_monotonic_time() - begin < WEBHOOK_LEASE_MS * 1000, "it waited for the dead");
	telling_expect(house, "all told", WITH(2), 300);
	for (guint i = 0; i < receiver_count(receiver); i++)
		g_hash_table_add(told, receiver_header(receiver_get(receiver, i), "webhook-id"));
	cr_expect_eq(g_hash_table_size(told), 300);
}

Test(webhooks, are_tested_at_once)
{
	static guint statuses[] = {500, 200, 0};
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(telling_say_in_turn, statuses);
	struct base_id webhook = telling_webhook(house, receiver, true), delivery,
		       other = base_id_new();
	g_autoptr(GError) error = NULL;
	char text[ID_TEXT_SIZE];

	test_db_plain(house->db, "UPDATE webhook SET enabled = 0");
	for (guint i = 0; i < 2; i++)
		telling_must(
		    webhook_test(house->service, &house->workspace, &webhook, &delivery, &error),
		    error);
	cr_assert_eq(receiver_count(receiver), 2);
	g_autofree char *data =
	    g_strdup_printf("\"data\":{\"webhook_id\":\"%s\"}", base_id_format(&webhook, text));
	cr_expect_not_null(strstr(receiver_get(receiver, 0)->body, data));
	telling_expect(house, "failed", WITH(3) " AND next_attempt IS NULL AND attempts = 1", 1);
	telling_expect(house, "succeeded", WITH(2) " AND next_attempt IS NULL AND attempts = 1", 1);
	telling_expect(
	    house, "no rest", "SELECT failures = 0 AND failing_since IS NULL FROM webhook", 1);
	cr_expect_not(webhook_test(house->service, &house->workspace, &other, &delivery, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND));
	telling_run(house, NOW);
	cr_expect_eq(receiver_count(receiver), 2);
}

/* A workspace may have many webhooks, here at one receiver. */
Test(webhooks, are_told_by_the_thousand)
{
	static guint statuses[] = {200, 0};
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(telling_say_in_turn, statuses);

	for (guint i = 0; i < 1000; i++) {
		struct base_id webhook = telling_webhook(house, receiver, i % 2 == 0);

		telling_event(house, &webhook, NULL, NOW, i);
	}
	telling_run(house, NOW);
	cr_expect_eq(receiver_count(receiver), 1000);
	telling_expect(house, "succeeded", WITH(2), 1000);
	telling_expect(house, "leases", "SELECT COUNT(*) FROM webhook WHERE owner IS NOT NULL", 0);
}

/* After 30 days what is done goes, with its attempts and event; what waits stays, and nothing stays
   of a webhook that is deleted. */
Test(webhooks, are_tidied_up)
{
	static guint statuses[] = {200, 500, 0};
	AUTO(test_house) house = telling_house();
	AUTO(receiver) receiver = receiver_start(telling_say_in_turn, statuses);
	struct base_id webhook = telling_webhook(house, receiver, false);

	telling_events(house, &webhook, NOW, 2);
	telling_run(house, NOW);
	test_db_plain(house->db, "UPDATE webhook SET enabled = 0");
	telling_run(house, NOW + 30 * DAY_MS - MINUTE_MS);
	telling_expect(house, "kept", "SELECT COUNT(*) FROM webhook_delivery", 2);
	telling_run(house, NOW + 30 * DAY_MS + MINUTE_MS);
	telling_expect(house, "waiting", WITH(1), 1);
	telling_expect(house, "done", WITH(2), 0);
	telling_expect(house, "attempts", ATTEMPTS " WHERE response_status = 500", 1);
	telling_expect(house, "all attempts", ATTEMPTS, 1);
	telling_expect(house, "events", "SELECT COUNT(*) FROM webhook_event", 1);
	test_db_plain(house->db, "DELETE FROM webhook");
	telling_run(house, NOW + 30 * DAY_MS + MINUTE_MS);
	telling_expect(house, "deliveries", "SELECT COUNT(*) FROM webhook_delivery", 0);
	telling_expect(house, "attempts", ATTEMPTS, 0);
	telling_run(house, NOW + 30 * DAY_MS + MINUTE_MS);
	telling_expect(house, "events", "SELECT COUNT(*) FROM webhook_event", 0);
}

/* A delivery that is replayed during its attempt is due again. */
static char *
webhooks_replay(guint number, const struct receiver_request *request, void *data)
{
	if (number == 0)
		g_free(test_mariadb_sql(NULL,
		    "UPDATE %s.webhook_delivery SET attempts = 0, next_attempt = next_attempt + 1",
		    (const char *)data));
	return receiver_say(200, "");
}

Test(webhooks, can_be_replayed_under_way)
{
	AUTO(test_house) house = telling_house();
	g_autofree char *database = test_db_text(house->db, "SELECT DATABASE()");
	AUTO(receiver) receiver = receiver_start(webhooks_replay, database);
	struct base_id webhook = telling_webhook(house, receiver, false);

	telling_event(house, &webhook, NULL, NOW, 0);
	telling_run(house, NOW + 1000);
	cr_expect_eq(receiver_count(receiver), 2);
	telling_expect(house, "told", WITH(2) " AND made = 2 AND attempts = 1", 1);
	telling_expect(house, "attempts", "SELECT MAX(number) FROM webhook_attempt", 2);
}

/* Somebody answers the one email that there is. */
static bool
webhooks_reply(struct db *db, void *context, GError **error)
{
	const struct submit_sending *sending = context;
	char received[ID_TEXT_SIZE];
	const struct base_id id = base_id_new();
	struct store_event event = {.workspace_id = sending->draft->email->workspace_id,
	    .email_id = sending->id,
	    .status = EVENT_REPLIED,
	    .timestamp = base_clock_now(),
	    .link = base_id_format(&id, received)};

	return store_event_insert(db, &event, 1, error);
}

/* One run sends an email, and tells that it was sent; the next one tells of the answer. */
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
	const struct email_submission submission = {
	    .from = "a@example.org", .to = to, .subject = "S", .html = "<p>Hi"};
	g_autoptr(GError) error = NULL;

	telling_webhook(house, receiver, false);
	test_db_plain(house->db, "UPDATE webhook SET events = 0xffffff | (1 << 54)");
	test_house_domain(house, "example.org");
	gint64 before = test_db_number(house->db, WITH(1));
	struct submit_sending *sending =
	    submit_send_check(house->service, &house->workspace, &submission, NULL, false, &error);
	telling_must(sending, error);
	AUTO(service_once) request = &sending->request;
	telling_must(service_once_store_one(house->service, request, &error), error);
	telling_run(house, base_clock_now());
	smtp_server_stop(relay);
	cr_expect_eq(smtp_server_count(relay), 1);
	cr_assert_eq(receiver_count(receiver), before + 1);
	cr_expect_not_null(
	    strstr(receiver_get(receiver, (guint)before)->body, "\"type\":\"email.sent\""), "%s",
	    receiver_get(receiver, (guint)before)->body);
	telling_must(db_transact(house->db, webhooks_reply, sending, &error), error);
	telling_run(house, base_clock_now() + 1000);
	cr_assert_eq(receiver_count(receiver), before + 2);
	cr_expect_not_null(
	    strstr(receiver_get(receiver, (guint)before + 1)->body, "\"type\":\"email.replied\""),
	    "%s", receiver_get(receiver, (guint)before + 1)->body);
}
