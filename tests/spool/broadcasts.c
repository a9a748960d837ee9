/* SPDX-License-Identifier: MIT */
/* Broadcasts leave by posthouse-spool: to whom, once, and not while they are paused. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "broadcast/draft.h"
#include "json/strict.h"
#include "service/service.h"
#include "store/broadcast/broadcast.h"
#include "tests/spool/mailing.h"

static const struct smtp_script good = {.extensions = NULL};

TestSuite(broadcasts, .timeout = 900);

/* Recipients whose row, part and event say the same. */
#define SETTLED                                                                                    \
	"SELECT COUNT(*) FROM broadcast_recipient r JOIN broadcast_part t ON t.email_id = "        \
	"r.email_id"                                                                               \
	" AND SUBSTRING(t.people, 16 * r.number + 1, 16) = r.person_id"                            \
	" JOIN event e ON e.email_id = r.email_id AND e.recipient = r.number AND e.status = 1"     \
	" JOIN recipient n ON n.email_id = r.email_id AND n.number = r.number"                     \
	" AND n.event_id = e.id AND n.status_at = e.timestamp"                                     \
	" WHERE r.status = 2 AND r.queue IS NULL AND r.sent_at = e.timestamp"

Test(broadcasts, reach_each_person_once_with_their_own_words)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	mailing_audience(depot, AUDIENCE_A);
	mailing_audience(depot, AUDIENCE_B);
	mailing_people(depot, AUDIENCE_A, 1, 300);
	mailing_people(depot, AUDIENCE_B, 201, 526);
	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\",\"" AUDIENCE_B "\"", "");
	mailing_expect(
	    depot, &id, "scheduled 0: 0 excluded, 0 sent, 0 skipped, 0 failed, 0 cancelled");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once", "--jobs", "2")), 0);
	mailing_expect(
	    depot, &id, "sent 526: 0 excluded, 526 sent, 0 skipped, 0 failed, 0 cancelled");
	smtp_server_stop(depot->relay);
	cr_expect_eq(smtp_server_count(depot->relay), 526);
	cr_expect_eq(mailing_count(depot, "To: F17 Last <U17@example.net>"), 1);
	cr_expect_eq(mailing_count(depot, "Subject: To F17\r\n"), 1);
	cr_expect_eq(mailing_count(depot, "Hello F17 of C17"), 1);
	cr_expect_eq(mailing_number(depot, SENT), 526);
	cr_expect_eq(mailing_number(depot, SETTLED), 526);
	cr_expect_eq(depot_left(depot), 0);
}

/* The content of a message without the line breaks of quoted-printable and of header fields. The
   caller owns it. */
static char *
unfold(const struct smtp_mail *mail)
{
	g_autoptr(GString) text = g_string_new(mail->bytes->str);

	g_string_replace(text, "=\r\n", "", 0);
	g_string_replace(text, "=3D", "=", 0);
	g_string_replace(text, "\r\n ", " ", 0);
	return g_strdup(text->str);
}

/* Adds the tokens of the URLs below this path to those that were seen; returns their number. */
static guint
see_tokens(const char *text, const char *path, GHashTable *seen)
{
	guint count = 0;

	for (; (text = strstr(text, path)); count++) {
		text += strlen(path);
		g_hash_table_add(seen,
		    g_strndup(text,
			strspn(text, "0123456789"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-")));
	}
	return count;
}

Test(broadcasts, give_each_person_links_of_their_own)
{
	static const char *const paths[] = {"/t/u/", "/t/c/", "/t/o/"};
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 40);
	mailing_send(depot, "\"" AUDIENCE_A "\"", "");
	mailing_sql(depot, "UPDATE email SET tracking = 7");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	smtp_server_stop(depot->relay);
	cr_assert_eq(smtp_server_count(depot->relay), 40);
	for (gsize p = 0; p < G_N_ELEMENTS(paths); p++) {
		g_autoptr(GHashTable) all =
		    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

		for (guint i = 0; i < 40; i++) {
			g_autofree char *text = unfold(smtp_server_mail(depot->relay, i));
			g_autoptr(GHashTable) own =
			    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

			cr_expect_eq(see_tokens(text, paths[p], own), p == 0 ? 3 : 1, "%s", text);
			cr_expect_eq(g_hash_table_size(own), 1, "%s", text);
			see_tokens(text, paths[p], all);
		}
		cr_expect_eq(g_hash_table_size(all), 40, "%s", paths[p]);
	}
	cr_expect_eq(mailing_number(depot, SETTLED), 40);
}

/* Runs the spool once, and returns the number of its warnings of links. */
static guint
run_warned(struct depot *depot)
{
	AUTO(test_program) program = depot_start(depot, ARGUMENTS("--once"));

	cr_expect_eq(test_program_wait(program, 240000), 0);
	g_autofree char *log = test_program_log(program);
	guint count = 0;
	for (const char *at = log; (at = strstr(at, STORE_BROADCAST_LACKS)); at++)
		count++;
	return count;
}

#define CONDITIONAL                                                                                \
	",\"html\":\"<p>Hi</p>{{#if %s}}<a href='{{unsubscribe_url}}'>Leave</a>{{/if}}"            \
	"<!-- {{unsubscribe_url}} -->\""

Test(broadcasts, give_a_link_to_those_who_would_see_none)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);
	g_autofree char *body = g_strdup_printf(CONDITIONAL, "vip");

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 250);
	mailing_sql(depot,
	    "UPDATE person SET properties = '{\"vip\":true}' WHERE address = 'u2@example.net'");
	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", body);
	mailing_sql(depot, "UPDATE email SET tracking = 7");
	cr_expect_eq(run_warned(depot), 1, "one for the broadcast");
	mailing_expect(
	    depot, &id, "sent 250: 0 excluded, 250 sent, 0 skipped, 0 failed, 0 cancelled");
	smtp_server_stop(depot->relay);
	cr_expect_eq(mailing_count(depot, ">Unsubscribe</a></p>"), 249);
	cr_expect_eq(mailing_count(depot, "\r\nUnsubscribe: https://"), 249);
	cr_expect_eq(mailing_count(depot, ">Leave</a>"), 1);
	cr_expect_eq(mailing_count(depot, "/t/o/"), 250, "opens are counted all the same");
	cr_expect_eq(mailing_number(depot, "SELECT SUM(lacks_link) FROM broadcast"), 1);
}

Test(broadcasts, warn_of_no_link_that_shows)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 20);
	g_autofree char *body = g_strdup_printf(CONDITIONAL, "city");
	mailing_send(depot, "\"" AUDIENCE_A "\"", body);
	cr_expect_eq(run_warned(depot), 0);
	smtp_server_stop(depot->relay);
	cr_expect_eq(mailing_count(depot, ">Unsubscribe</a></p>"), 0);
	cr_expect_eq(mailing_number(depot, "SELECT SUM(lacks_link) FROM broadcast"), 0);
}

#define FILES                                                                                      \
	",\"attachments\":[{\"filename\":\"p.txt\",\"content\":\"aGVsbG8gdGhlcmU=\"},"             \
	"{\"filename\":\"l.png\",\"content\":\"iVBORw0KGgo=\",\"content_type\":\"image/png\","     \
	"\"content_id\":\"logo\"}],\"variants\":[{},{\"subject\":\"Other\","                       \
	"\"html\":\"<img src=cid:logo alt=L><a href='{{unsubscribe_url}}'>Leave</a>\"}]"
#define ATTACHED "SELECT COUNT(*) FROM body WHERE size IN (8, 11)"

Test(broadcasts, have_attachments_that_are_stored_once)
{
	AUTO(depot) depot = depot_open(NULL, &good, 50);
	const struct base_id *workspace = &depot->house->workspace;
	struct service *service = depot->house->service;

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 120);
	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", FILES);
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	mailing_expect(
	    depot, &id, "sent 120: 0 excluded, 120 sent, 0 skipped, 0 failed, 0 cancelled");
	smtp_server_stop(depot->relay);
	guint linked = mailing_count(depot, "Subject: Other\r\n");
	cr_expect(linked > 0 && linked < 120);
	cr_expect_eq(mailing_count(depot, "filename=\"p.txt\""), 120);
	cr_expect_eq(mailing_count(depot, "aGVsbG8gdGhlcmU="), 120);
	cr_expect_eq(mailing_count(depot, "filename=\"l.png\""), 120);
	cr_expect_eq(mailing_count(depot, "cid:logo@example.org"), linked);
	cr_expect_eq(mailing_number(depot, ATTACHED), 2);
	cr_assert(service_ensure(service, NULL) && broadcast_remove(service, workspace, &id, NULL));
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	cr_expect_eq(mailing_number(depot, "SELECT COUNT(*) FROM broadcast_attachment"), 0);
	cr_expect_eq(mailing_number(depot, ATTACHED), 2, "emails have them");
}

Test(broadcasts, take_their_attachments_along)
{
	static const char text[] = "{\"attachments\":[{\"filename\":\"a\",\"content\":\"aGk=\"}]}";
	AUTO(depot) depot = depot_open(NULL, &good, 50);
	const struct base_id *workspace = &depot->house->workspace;
	struct service *service = depot->house->service;
	AUTO(json) body = json_parse(text, strlen(text), NULL);
	struct base_id id, copy;

	cr_assert(service_ensure(service, NULL) &&
		  broadcast_create(service, workspace, body, NULL, &id, NULL) &&
		  broadcast_duplicate(service, workspace, &id, NULL, &copy, NULL) &&
		  broadcast_remove(service, workspace, &id, NULL));
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	cr_expect_eq(mailing_number(depot, "SELECT COUNT(*) FROM body"), 1);
	cr_assert(
	    service_ensure(service, NULL) && broadcast_remove(service, workspace, &copy, NULL));
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	cr_expect_eq(mailing_number(depot, "SELECT COUNT(*) FROM broadcast"), 0);
	cr_expect_eq(mailing_number(depot, "SELECT COUNT(*) FROM body"), 0);
}

Test(broadcasts, leave_out_who_does_not_want_them)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 20);
	mailing_sql(depot, "UPDATE contact SET is_subscribed = 0 WHERE address = 'u1@example.net'");
	mailing_sql(depot, "UPDATE person SET is_subscribed = 0 WHERE address = 'u2@example.net'");
	mailing_sql(depot,
	    "INSERT INTO suppression (id, workspace_id, email, address, reason, scope, created)"
	    " SELECT RANDOM_BYTES(16), " WORKSPACE
	    ", CONCAT('u', seq, '@example.net'), CONCAT('u', seq, '@example.net'), 4, seq - 2, 1"
	    " FROM seq_3_to_4");
	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", "");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	mailing_expect(
	    depot, &id, "sent 16: 4 excluded, 16 sent, 0 skipped, 0 failed, 0 cancelled");
}

Test(broadcasts, heed_what_changes_while_they_leave)
{
	AUTO(depot) depot = depot_open(NULL, &good, 100);

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 20);
	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", "");
	/* As if it had started before the changes. */
	mailing_sql(depot, "UPDATE broadcast SET status = 3, started_at = 1, is_complete = 1");
	mailing_sql(depot,
	    "INSERT INTO broadcast_recipient (broadcast_id, person_id, workspace_id, variant,"
	    " queue, status, due) SELECT b.id, p.id, b.workspace_id, 0, 0, 1, 1 FROM broadcast b,"
	    " person p");
	mailing_sql(depot,
	    "INSERT INTO broadcast_counter (broadcast_id, variant, stripe, workspace_id,"
	    " recipients) SELECT id, 0, 0, workspace_id, 20 FROM broadcast");
	mailing_people(depot, AUDIENCE_A, 21, 30);
	mailing_sql(depot, "UPDATE contact SET is_subscribed = 0 WHERE address = 'u1@example.net'");
	mailing_sql(depot, "UPDATE person SET is_subscribed = 0 WHERE address = 'u2@example.net'");
	mailing_sql(depot, "DELETE FROM person WHERE address = 'u3@example.net'");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	mailing_expect(
	    depot, &id, "sent 20: 0 excluded, 17 sent, 3 skipped, 0 failed, 0 cancelled");
	cr_expect_eq(
	    mailing_number(depot, "SELECT SUM(reason) FROM broadcast_recipient"), 3 + 1 + 5);
}

/* Waits until more than so many messages have left. */
static gint64
wait_sent(struct depot *depot, gint64 above)
{
	gint64 end = g_get_monotonic_time() + 240 * G_USEC_PER_SEC, sent;

	while ((sent = mailing_number(depot, SENT)) <= above) {
		cr_assert(g_get_monotonic_time() < end, "%d have left", (int)sent);
		g_usleep(2000);
	}
	return sent;
}

static const struct smtp_script slow = {
    .extensions = NULL, .rules = {{".", 0, NULL, THEN_GO_ON, 20}}};

/* Far more than leave while somebody presses a button. */
static const struct smtp_script slower = {
    .extensions = NULL, .rules = {{".", 0, NULL, THEN_GO_ON, 100}}};
#define FAR_MORE 600

Test(broadcasts, rest_while_paused_and_end_when_cancelled)
{
	AUTO(depot) depot = depot_open(NULL, &slower, 10);
	const struct base_id *workspace = &depot->house->workspace;
	struct service *service = depot->house->service;

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, FAR_MORE);
	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", "");
	AUTO(test_program)
	program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "2"));
	wait_sent(depot, 0);
	cr_assert(service_ensure(service, NULL) && broadcast_pause(service, workspace, &id, NULL));
	depot_wait_claimed(depot, 0);
	gint64 sent = mailing_number(depot, SENT);
	cr_expect_lt(sent, FAR_MORE);
	g_usleep(G_USEC_PER_SEC);
	cr_expect_eq(mailing_number(depot, SENT), sent);
	cr_expect_eq(mailing_number(depot, "SELECT COUNT(*) FROM event WHERE status <> 1"), 0);
	cr_assert(service_ensure(service, NULL) && broadcast_resume(service, workspace, &id, NULL));
	wait_sent(depot, sent);
	cr_assert(service_ensure(service, NULL) && broadcast_cancel(service, workspace, &id, NULL));
	cr_expect_eq(mailing_number(depot, "SELECT COUNT(*) FROM broadcast_model"), 0);
	depot_wait_claimed(depot, 0);
	/* A message that the relay did not take in time would be tried again in a minute. */
	mailing_sql(depot, "UPDATE outbox SET ready_at = 1 WHERE owner IS NULL");
	depot_wait_left(depot, 0);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, 240000), 0);
	sent = mailing_number(depot, SENT);
	cr_expect_lt(sent, FAR_MORE);
	g_autofree char *want =
	    g_strdup_printf("cancelled %d: 0 excluded, %d sent, 0 skipped, 0 failed, %d cancelled",
		FAR_MORE, (int)sent, FAR_MORE - (int)sent);
	mailing_expect(depot, &id, want);
}

Test(broadcasts, go_on_at_once_however_often_they_are_paused)
{
	AUTO(depot) depot = depot_open(NULL, &slow, 10);
	const struct base_id *workspace = &depot->house->workspace;
	struct service *service = depot->house->service;
	g_autoptr(GError) error = NULL;

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 200);
	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", "");
	AUTO(test_program)
	program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "2"));
	for (gint64 sent = wait_sent(depot, 0); sent < 150; sent = wait_sent(depot, sent))
		cr_assert(service_ensure(service, NULL) &&
			      broadcast_pause(service, workspace, &id, &error) &&
			      broadcast_resume(service, workspace, &id, &error),
		    "%s", error ? error->message : "");
	wait_sent(depot, 199);
	depot_wait_left(depot, 0);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, 240000), 0);
	cr_expect_eq(mailing_number(depot, SENT), 200);
}

#define BATCH 20

/* The place of the only email that is no broadcast's among those at the relay. */
static guint
place_at_relay(struct depot *depot)
{
	gint64 end = g_get_monotonic_time() + 240 * G_USEC_PER_SEC;

	for (guint i = 0; g_get_monotonic_time() < end;) {
		const struct smtp_mail *mail = smtp_server_mail(depot->relay, i);

		if (!mail)
			g_usleep(2000);
		else if (strstr(mail->recipients->pdata[0], "b@example.net"))
			return i;
		else
			i++;
	}
	cr_assert_fail("it has not left");
	return 0;
}

static const struct smtp_script late = {
    .extensions = NULL, .rules = {REPLY(".", 1, "451 Later"), {".", 0, NULL, THEN_GO_ON, 20}}};

Test(broadcasts, let_other_mail_go_before_what_they_try_again)
{
	AUTO(depot) depot = depot_open(NULL, &late, BATCH);

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 1);
	mailing_send(depot, "\"" AUDIENCE_A "\"", "");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	cr_expect_eq(depot_left(depot), 1);
	/* As if 10,000 of them had been delayed. */
	mailing_sql(depot,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at,"
	    " is_bulk) SELECT UNHEX(LPAD(HEX(seq), 32, '0')), workspace_id, email_id, recipients,"
	    " attempts, since, 1, is_bulk FROM outbox, seq_1_to_10000");
	AUTO(test_program)
	program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "1"));
	wait_sent(depot, BATCH);
	depot_submit(depot, 1, 0);
	guint before = smtp_server_count(depot->relay), place = place_at_relay(depot);
	cr_expect_leq(place, before + BATCH, "%u messages went first", place - before);
	cr_expect_gt(depot_left(depot), 1000);
	test_program_signal(program, SIGTERM);
	cr_expect_eq(test_program_wait(program, 240000), 0);
}

Test(broadcasts, reach_each_person_once_although_the_spool_is_killed)
{
	static const struct smtp_script quick = {
	    .extensions = NULL, .rules = {{".", 0, NULL, THEN_GO_ON, 5}}};
	AUTO(depot) depot = depot_open(NULL, &quick, 20);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	guint kills = 0, twice = 0;

	mailing_audience(depot, AUDIENCE_A);
	mailing_people(depot, AUDIENCE_A, 1, 200);
	struct base_id id = mailing_send(depot, "\"" AUDIENCE_A "\"", "");
	for (; kills < 5; kills++) {
		gint64 before = mailing_number(depot, SENT);
		AUTO(test_program)
		program = depot_start(depot, ARGUMENTS("--for", "0", "--jobs", "1"));
		/* A killed one may hold the broadcast for a while. */
		mailing_sql(depot, "UPDATE broadcast SET due = 1 WHERE due IS NOT NULL");
		wait_sent(depot, MIN(before + 19, 199));
		test_program_kill_all(program);
	}
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	/* Messages that are due at once are sent. One in doubt waits for its next attempt, and one
	   that was claimed just before a kill waits for the end of its lease. */
	mailing_sql(depot, "UPDATE outbox SET ready_at = 1");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	mailing_sql(depot, "UPDATE broadcast SET due = 1 WHERE due IS NOT NULL");
	cr_expect_eq(depot_run(depot, ARGUMENTS("--once")), 0);
	mailing_expect(
	    depot, &id, "sent 200: 0 excluded, 200 sent, 0 skipped, 0 failed, 0 cancelled");
	smtp_server_stop(depot->relay);
	for (guint i = 0; i < smtp_server_count(depot->relay); i++)
		twice += !g_hash_table_add(
		    seen, smtp_server_mail(depot->relay, i)->recipients->pdata[0]);
	cr_expect_eq(g_hash_table_size(seen), 200);
	cr_expect_leq(twice, kills);
}
