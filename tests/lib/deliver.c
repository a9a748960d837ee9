/* SPDX-License-Identifier: MIT */
#include "delivery/delivery.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/process.h"
#include "config/settings.h"
#include "delivery/recover.h"
#include "json/strict.h"
#include "process/seccomp.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

Test(deliver, sends_a_hundred_in_one_session)
{
	static const struct smtp_script script = {.extensions = "PIPELINING"};
	AUTO(fixture) fixture = fixture_open(&script, "final = yes\n");

	for (guint i = 0; i < 100; i++)
		posting_submit(fixture, "a@x.org");
	posting_deliver(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox"), 0);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 200);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM email WHERE sent >= created"), 100);
	smtp_server_stop(fixture->relay);
	cr_expect_eq(smtp_server_connections(fixture->relay), 1);
	cr_expect_eq(smtp_server_count(fixture->relay), 100);
}

Test(deliver, records_nothing_of_a_claim_that_it_has_lost)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id ids[5];

	for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
		ids[i] = posting_submit(fixture, "a@x.org");
	struct delivery *delivery = posting_start(fixture);
	cr_assert(db_run(fixture->db, "UPDATE outbox SET token = token + 1 WHERE email_id = ?",
	    DB_VALUES(db_id(&ids[2])), NULL, NULL));
	cr_assert(delivery_wait(delivery, 0));
	cr_expect_not(delivery_trouble(delivery));
	delivery_free(delivery);
	for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
		posting_expect(fixture, "one of five", &ids[i], i == 2 ? "" : "0 sent\n",
		    "0: 0 attempts, claimed\n");
}

static void *
wait_in_thread(void *delivery)
{
	return GINT_TO_POINTER(delivery_wait(delivery, 0));
}

static void
wait_for_events(struct fixture *fixture, gint64 min, gint64 max)
{
	gint64 end = base_clock_boot() + 120000, count;

	while ((count = test_db_number(fixture->db, "SELECT COUNT(*) FROM event")) < min) {
		cr_assert(base_clock_boot() < end, "%" G_GINT64_FORMAT " events never came", min);
		g_usleep(2000);
	}
	cr_assert(
	    count <= max, "got %" G_GINT64_FORMAT " events, want %" G_GINT64_FORMAT, count, max);
}

/* So that a report which comes before the reply stands behind it. */
Test(deliver, dates_sent_by_the_final_dot)
{
	static const struct smtp_script script = {.rules = {{".", 1, NULL, THEN_GO_ON, 600000}}};
	AUTO(fixture) fixture = fixture_open(&script, NULL);

	posting_submit(fixture, "a@x.org");
	struct delivery *delivery = posting_start(fixture);
	GThread *thread = g_thread_new("wait", wait_in_thread, delivery);
	cr_assert(smtp_server_wait(fixture->relay, "."));
	gint64 dot = base_clock_now();
	while (base_clock_now() == dot)
		g_thread_yield();
	smtp_server_release(fixture->relay);
	cr_assert(g_thread_join(thread));
	delivery_free(delivery);
	cr_expect_leq(
	    test_db_number(fixture->db, "SELECT timestamp FROM event WHERE status = 1"), dot);
	gint64 sent = test_db_number(fixture->db, "SELECT sent_at FROM recipient");
	cr_expect(sent > 0 && sent <= dot, "sent at %" G_GINT64_FORMAT, sent);
}

Test(deliver, records_while_the_session_goes_on)
{
	static const struct smtp_script script = {.rules = {{".", 22, NULL, THEN_GO_ON, 600000}}};
	AUTO(fixture) fixture = fixture_open(&script, NULL);

	for (guint i = 0; i < 23; i++)
		posting_submit(fixture, "a@x.org");
	struct delivery *delivery = posting_start(fixture);
	GThread *thread = g_thread_new("wait", wait_in_thread, delivery);
	/* At the dot of the 22nd twenty are known to the database at once, after a second one more.
	 */
	wait_for_events(fixture, 20, 21);
	wait_for_events(fixture, 21, 21);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox"), 2);
	smtp_server_release(fixture->relay);
	cr_assert(g_thread_join(thread));
	delivery_free(delivery);
	wait_for_events(fixture, 23, 23);
}

/* The database goes away once some messages are composed, and comes back after the session. */
static void *
break_database(void *context)
{
	struct fixture *fixture = context;
	g_autofree char *path =
	    g_strdup(config_settings_text(fixture->settings, SETTING_DATABASE_SOCKET));
	g_autofree char *away = g_strconcat(path, ".away", NULL);

	cr_assert(smtp_server_wait(fixture->relay, "DATA"));
	cr_assert_eq(g_rename(path, away), 0);
	test_db_plain(fixture->db,
	    "SET @id = (SELECT id FROM information_schema.processlist WHERE db = "
	    "DATABASE() AND id <> CONNECTION_ID())");
	test_db_plain(fixture->db, "EXECUTE IMMEDIATE CONCAT('KILL ', @id)");
	cr_assert(smtp_server_wait(fixture->relay, "QUIT"));
	cr_assert_eq(g_rename(away, path), 0);
	return NULL;
}

Test(deliver, records_when_the_database_is_back)
{
	static const struct smtp_script script = {
	    .rules = {{"RCPT*", 1, NULL, THEN_GO_ON, 500}, {".", 1, NULL, THEN_GO_ON, 500}}};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id ids[12];

	fixture_use_proxy(fixture);
	fixture_renew(fixture, &script, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
		ids[i] = posting_submit(fixture, "a@x.org");
	struct delivery *delivery = posting_start(fixture);
	GThread *thread = g_thread_new("break", break_database, fixture);
	cr_assert(delivery_wait(delivery, 0));
	g_thread_join(thread);
	cr_expect_not(delivery_trouble(delivery));
	delivery_free(delivery);
	/* Nine were composed in time; the others are postponed without an event. */
	for (guint i = 0; i < G_N_ELEMENTS(ids); i++) {
		g_autofree char *name = g_strdup_printf("message %u", i);
		posting_expect(fixture, name, &ids[i], i < 9 ? "0 sent\n" : "",
		    "0: 0 attempts, in 1 min\n0: 0 attempts, in 1 min\n0: 0 attempts, in 1 min\n");
	}
}

Test(deliver, leaves_to_the_journal_what_it_cannot_record)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org");
	struct delivery *delivery = posting_start(fixture);
	g_autoptr(GError) error = NULL;

	test_db_plain(fixture->db, "RENAME TABLE event TO event_away");
	cr_assert(delivery_wait(delivery, 0));
	cr_expect(delivery_trouble(delivery));
	delivery_free(delivery);
	test_db_plain(fixture->db, "RENAME TABLE event_away TO event");
	posting_expect(fixture, "before", &id, "", "0: 0 attempts, claimed\n");
	cr_expect_not(fixture->service->process->journal);
	cr_assert(
	    delivery_recover(fixture->service, NULL, &error), "%s", error ? error->message : "");
	posting_expect(fixture, "recovered", &id, "0 sent\n", "");
}

static enum delivery_pace
deliver_go_on(const void *context)
{
	return DELIVER_GO_ON;
}

static enum delivery_pace
deliver_leave(const void *context)
{
	return DELIVER_LEAVE;
}

/* Stores four emails, of which processes died so often. */
static void
submit_four(struct fixture *fixture, struct base_id *ids, const guint *deaths)
{
	for (guint i = 0; i < 4; i++) {
		g_autofree char *address = g_strdup_printf("u%u@x.org", i);

		ids[i] = posting_submit(fixture, address);
		cr_assert(db_run(fixture->db, "UPDATE outbox SET deaths = ? WHERE email_id = ?",
		    DB_VALUES(db_int(deaths[i]), db_id(&ids[i])), NULL, NULL));
	}
}

/* Harmless messages that were in hand when their processes were killed from outside. */
Test(deliver, sends_last_what_processes_died_of)
{
	static const struct smtp_script script = {.extensions = "PIPELINING"};
	static const guint deaths[] = {LIMIT_DEATHS, LIMIT_DEATHS - 1, 0, LIMIT_DEATHS + 1};
	static const guint want[] = {2, 1, 0, 3};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id ids[4];

	submit_four(fixture, ids, deaths);
	struct delivery *delivery = posting_start(fixture);
	delivery_work(delivery, deliver_go_on, NULL);
	cr_expect_not(delivery_trouble(delivery));
	delivery_free(delivery);
	for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
		posting_expect(fixture, "one of four", &ids[i], "0 sent\n", "");
	smtp_server_stop(fixture->relay);
	cr_assert_eq(smtp_server_count(fixture->relay), 4);
	for (guint i = 0; i < G_N_ELEMENTS(want); i++) {
		const struct smtp_mail *mail = smtp_server_mail(fixture->relay, i);
		g_autofree char *address = g_strdup_printf("<u%u@x.org>", want[i]);

		cr_expect(strstr(mail->recipients->pdata[0], address), "%u: got %s, want %s", i,
		    (const char *)mail->recipients->pdata[0], address);
		cr_expect(strstr(mail->bytes->str, "DKIM-Signature:"), "it is signed");
		cr_expect_eq(mail->connection, i < 2 ? 1 : i);
	}
}

/* A delivery that has to leave leaves them to the next process. */
Test(deliver, leaves_what_is_to_be_composed_apart)
{
	static const struct smtp_script script = {.extensions = NULL};
	static const guint deaths[] = {0, LIMIT_DEATHS, LIMIT_DEATHS, LIMIT_DEATHS};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id ids[4];

	submit_four(fixture, ids, deaths);
	struct delivery *delivery = posting_start(fixture);
	delivery_work(delivery, deliver_leave, NULL);
	delivery_free(delivery);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox WHERE owner IS NULL"
						 " AND ready_at <= UNIX_TIMESTAMP(NOW(3)) * 1000"),
	    4);
	/* delivery_wait does not try them. */
	posting_deliver(fixture);
	posting_expect(fixture, "the first", &ids[0], "0 sent\n",
	    "0: 0 attempts, now\n0: 0 attempts, now\n0: 0 attempts, now\n");
}

/* Emails of several shapes, each composed once by the process itself and once by a confined child:
   the messages are as long. */
Test(deliver, composes_in_a_confined_process)
{
	static const char given[] = "{\"name\": \"J\\u00fcrgen\", \"url\": \"https://x.org/?a=b\"}";
	static const struct smtp_script script = {.extensions = "PIPELINING\n8BITMIME"};
	AUTO(fixture) fixture =
	    fixture_open(&script, "[service]\nseccomp = yes\nurl = https://m.example.com\n");
	AUTO(json) variables = json_parse(given, strlen(given), NULL);
	g_autoptr(GArray) attachments = fixture_attachments(
	    (const struct email_submission_attachment[]){
		{.filename = "a \303\274.txt", .content = "SGVsbG8="},
		{.filename = "b.bin", .content = "AAEC"}},
	    2);
	struct email_submission shapes[] = {
	    fixture_submission(), fixture_submission(), fixture_submission()};

	if (!process_seccomp_is_known())
		cr_skip_test("this kernel has no filters of system calls");
	shapes[1].html = NULL;
	shapes[1].text = "Gr\303\274\303\237e\n\360\237\230\200\n";
	shapes[2].subject = "Hello, {{name}}";
	shapes[2].html = "<p>Hello, {{name}}</p><a href=\"{{url}}\">here</a> {{unsubscribe_url}}";
	shapes[2].variables = variables;
	shapes[2].attachments = attachments;
	for (gsize i = 0; i < G_N_ELEMENTS(shapes); i++) {
		struct base_id id = posting_store(fixture, &shapes[i]);

		cr_assert(db_run(fixture->db, "UPDATE outbox SET deaths = ? WHERE email_id = ?",
		    DB_VALUES(db_int(LIMIT_DEATHS), db_id(&id)), NULL, NULL));
		posting_store(fixture, &shapes[i]);
	}
	struct delivery *delivery = posting_start(fixture);
	delivery_work(delivery, deliver_go_on, NULL);
	cr_expect_not(delivery_trouble(delivery));
	delivery_free(delivery);
	smtp_server_stop(fixture->relay);
	cr_assert_eq(smtp_server_count(fixture->relay), 2 * G_N_ELEMENTS(shapes));
	for (guint i = 0; i < G_N_ELEMENTS(shapes); i++) {
		const struct smtp_mail *own = smtp_server_mail(fixture->relay, i);
		const struct smtp_mail *confined =
		    smtp_server_mail(fixture->relay, i + G_N_ELEMENTS(shapes));

		cr_expect_eq(
		    confined->bytes->len, own->bytes->len, "%u: got %s", i, confined->bytes->str);
	}
}
