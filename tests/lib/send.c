/* SPDX-License-Identifier: MIT */
/* Tests how an email goes from a request to the relay, and when it is left to the spool. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <gmime/gmime.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "email/draft.h"
#include "json/strict.h"
#include "service/service.h"
#include "store/workspace/idempotency.h"
#include "submit/submit.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

static GMimeMessage *
send_parse(const struct smtp_mail *mail)
{
	g_mime_init();
	GMimeStream *stream = g_mime_stream_mem_new_with_buffer(mail->bytes->str, mail->bytes->len);
	GMimeParser *parser = g_mime_parser_new_with_stream(stream);
	GMimeMessage *message = g_mime_parser_construct_message(parser, NULL);

	g_object_unref(parser);
	g_object_unref(stream);
	cr_assert(message, "%s", mail->bytes->str);
	return message;
}

/* The parts that are no multipart: "text/plain: content", a line for each. */
static void
send_add_part(GMimeObject *parent, GMimeObject *part, void *lines)
{
	if (GMIME_IS_MULTIPART(part))
		return;
	GMimeStream *stream = g_mime_stream_mem_new();
	g_mime_data_wrapper_write_to_stream(g_mime_part_get_content(GMIME_PART(part)), stream);
	GByteArray *bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
	const char *name = g_mime_part_get_filename(GMIME_PART(part));
	g_autofree char *type =
	    g_mime_content_type_get_mime_type(g_mime_object_get_content_type(part));

	g_autofree char *text = g_strndup((const char *)bytes->data, bytes->len);
	g_string_append_printf(lines, "%s %s: %s\n", type, name ? name : "-", g_strstrip(text));
	g_object_unref(stream);
}

static char *
parts_of(GMimeMessage *message)
{
	GString *lines = g_string_new(NULL);

	g_mime_message_foreach(message, send_add_part, lines);
	return g_string_free(lines, FALSE);
}

static const struct smtp_script good = {.extensions = "8BITMIME\nENHANCEDSTATUSCODES"};

/* Checks and stores an email as a request does, without the attempt. NULL with error. */
static struct submit_sending *
send_store(struct fixture *fixture, const struct email_submission *submission,
    const struct service_idempotency *key, GError **error)
{
	struct submit_sending *sending = submit_send_check(
	    fixture->service, &fixture->key.workspace_id, submission, key, true, error);
	AUTO(service_once) request = sending ? &sending->request : NULL;

	if (!sending)
		return NULL;
	if (!service_once_store_one(fixture->service, request, error))
		return NULL;
	request = NULL;
	return sending;
}

static struct base_id
send_send(struct fixture *fixture, const struct email_submission *submission)
{
	g_autoptr(GError) error = NULL;
	struct submit_sending *sending = send_store(fixture, submission, NULL, &error);

	cr_assert(sending, "%s", error ? error->message : "");
	service_once_follow(fixture->service, &sending->request, NULL);
	cr_assert_not(sending->delivery, "it goes on");
	cr_assert_not(sending->request.replayed);
	struct base_id id = sending->id;
	service_once_free(&sending->request);
	return id;
}

Test(send, claims_from_the_start_what_is_not_for_later)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct email_submission submission = fixture_submission();
	struct submit_sending *now = send_store(fixture, &submission, NULL, NULL);

	submission.scheduled_at = base_clock_now() + 5 * 60000;
	struct submit_sending *later = send_store(fixture, &submission, NULL, NULL);
	cr_assert(now && later);
	submission.scheduled_at = 0;
	posting_store(fixture, &submission);
	g_autofree char *outbox = fixture_outbox(fixture);
	cr_expect_str_eq(outbox, "0: 0 attempts, claimed\n0: 0 attempts, in 5 min\n"
				 "0: 0 attempts, now\n");
	g_autofree char *owned =
	    g_strdup_printf("SELECT COUNT(*) FROM outbox WHERE owner = '%s' AND token = "
			    "%" G_GINT64_FORMAT,
		now->claim.owner, now->claim.token);
	cr_expect_eq(test_db_number(fixture->db, g_intern_string(owned)), 1);
	AUTO(store_email) email = fixture_email(fixture, &later->id);
	cr_expect_eq(email->scheduled_at, later->draft->email->scheduled_at);
	service_once_free(&now->request);
	service_once_free(&later->request);
}

Test(send, goes_from_a_request_to_the_relay_and_back_as_events)
{
	AUTO(fixture) fixture = fixture_open(&good, "final = yes\n");
	static const char variables[] = "{\"name\": \"Bob & Co\", \"n\": 1.50}";
	AUTO(json) given = json_parse(variables, strlen(variables), NULL);
	const struct email_submission_attachment file = {
	    .filename = "a.txt", .content = "SGVsbG8=", .content_type = "text/plain"};
	g_autoptr(GArray) attachments = fixture_attachments(&file, 1);
	struct email_submission submission = fixture_submission();

	submission.subject = "For {{name}}";
	submission.html = "<p>Dear {{name}}, {{n}}</p>";
	submission.variables = given;
	submission.attachments = attachments;
	submission.cc = (const char *[]){"Cy <c@x.org>, b@X.org", NULL};
	struct base_id id = send_send(fixture, &submission);

	smtp_server_stop(fixture->relay);
	cr_assert_eq(
	    smtp_server_count(fixture->relay), 1, "log: %s", smtp_server_log(fixture->relay));
	const struct smtp_mail *mail = smtp_server_mail(fixture->relay, 0);
	cr_expect(g_str_has_prefix(mail->sender, "MAIL FROM:<b+"), "%s", mail->sender);
	cr_expect_eq(mail->recipients->len, 2);
	GMimeMessage *message = send_parse(mail);
	cr_expect_str_eq(g_mime_message_get_subject(message), "For Bob & Co");
	const char *signature = g_mime_object_get_header(GMIME_OBJECT(message), "DKIM-Signature");
	cr_expect(signature && strstr(signature, "d=example.com"), "%s", mail->bytes->str);
	g_autofree char *parts = parts_of(message);
	cr_expect_str_eq(parts, "text/plain -: Dear Bob & Co, 1.50\n"
				"text/html -: <p>Dear Bob &amp; Co, 1.50</p>\n"
				"text/plain a.txt: Hello\n");
	g_object_unref(message);

	g_autofree char *events = fixture_events(fixture, &id);
	cr_expect_str_eq(events, "0 sent\n0 delivered\n1 sent\n1 delivered\n");
	g_autofree char *outbox = fixture_outbox(fixture);
	cr_expect_str_eq(outbox, "");
	AUTO(store_email) email = fixture_email(fixture, &id);
	cr_expect_str_eq(email->subject, "For Bob & Co");
	cr_expect_str_eq(email->to, "b@x.org");
	cr_expect_str_eq(email->cc, "Cy <c@x.org>, b@x.org");
	cr_expect_str_eq(email->domain, "example.com");
	cr_expect_eq(email->recipients->len, 2);
	cr_expect_eq(email->parts->len, 3);
	cr_expect(email->sent >= email->created);
}

/* A submission that is sent as it stands; no attempt may be left over. */
static struct base_id
send_plain(struct fixture *fixture, gint64 scheduled_at)
{
	struct email_submission submission = fixture_submission();

	submission.scheduled_at = scheduled_at;
	return send_send(fixture, &submission);
}

static guint
mails(struct fixture *fixture)
{
	smtp_server_stop(fixture->relay);
	return smtp_server_count(fixture->relay);
}

Test(send, attempts_nothing_in_spool_mode)
{
	AUTO(fixture) fixture = fixture_open(&good, "[service]\nmode = spool\n");
	struct base_id id = send_plain(fixture, 0);

	posting_expect(fixture, "spool", &id, "", "0: 0 attempts, now\n");
	smtp_server_stop(fixture->relay);
	cr_expect_eq(smtp_server_connections(fixture->relay), 0);
}

Test(send, leaves_for_later_what_is_scheduled)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct base_id past = send_plain(fixture, base_clock_now() - 1000);
	struct base_id later = send_plain(fixture, base_clock_now() + 5 * 60000);

	posting_expect(fixture, "of the past", &past, "0 sent\n", "0: 0 attempts, in 5 min\n");
	posting_expect(fixture, "for later", &later, "", "0: 0 attempts, in 5 min\n");
	cr_expect_eq(mails(fixture), 1);
}

Test(send, answers_whatever_the_relay_says)
{
	static const struct {
		const char *name;
		struct smtp_rule rule;
		const char *want_events, *want_outbox;
	} cases[] = {
	    {"refused", REPLY("RCPT*", 0, "550 5.1.1 no"),
		"0 bounced Permanent 5.1.1: 550 5.1.1 no\n", ""},
	    {"deferred", REPLY(".", 0, "451 4.3.0 later"), "0 delayed 4.3.0: 451 4.3.0 later\n",
		"0: 1 attempts, in 1 min\n"},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_script script = {.rules = {cases[i].rule}};

		fixture_renew(fixture, &script, NULL);
		struct base_id id = send_plain(fixture, 0);
		posting_expect(
		    fixture, cases[i].name, &id, cases[i].want_events, cases[i].want_outbox);
		test_db_plain(fixture->db, "DELETE FROM suppression");
	}
}

Test(send, asks_a_relay_that_cannot_be_had_once_a_minute)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id first = send_plain(fixture, 0), second = send_plain(fixture, 0);

	posting_expect(fixture, "first", &first,
	    "0 delayed 4.4.1: relay 127.0.0.1:1 (127.0.0.1:1) could not be reached: Connection "
	    "refused\n",
	    "0: 0 attempts, in 1 min\n0: 0 attempts, now\n");
	posting_expect(fixture, "while it rests", &second, "",
	    "0: 0 attempts, in 1 min\n0: 0 attempts, now\n");
	base_clock_set(base_clock_now() + 61000);
	struct base_id third = send_plain(fixture, 0);
	g_autofree char *events = fixture_events(fixture, &third);
	cr_expect(g_str_has_prefix(events, "0 delayed 4.4.1: "), "got %s", events);
}

Test(send, is_attempted_once_however_often_it_is_asked_for)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct email_submission submission = fixture_submission();
	struct service_idempotency key = posting_key(fixture, "k", "{}");
	g_autofree char *first = NULL;

	for (guint i = 0; i < 2; i++) {
		g_autoptr(GError) error = NULL;
		struct submit_sending *sending = send_store(fixture, &submission, &key, &error);
		AUTO(service_once) request = sending ? &sending->request : NULL;

		cr_assert(request, "%s", error ? error->message : "");
		cr_expect_eq(request->replayed, i == 1);
		cr_expect_eq(sending->is_due, i == 0);
		cr_expect(service_once_follow(fixture->service, request, NULL));
		cr_expect_not(sending->delivery);
		if (i == 0)
			first = g_strdup(request->answer);
		cr_expect_str_eq(request->answer, first);
	}
	cr_expect_eq(mails(fixture), 1);
}

struct keyed {
	struct fixture *fixture;
	struct service_idempotency key;
	struct submit_sending *sending;
};

static void *
send_keyed(void *context)
{
	struct keyed *keyed = context;
	struct email_submission submission = fixture_submission();

	keyed->sending = send_store(keyed->fixture, &submission, &keyed->key, NULL);
	return NULL;
}

Test(send, attempts_nothing_when_another_request_was_faster)
{
	static const char waits[] = "SELECT COUNT(*) FROM information_schema.processlist WHERE"
				    " db = DATABASE() AND info LIKE '%idempotency%' AND"
				    " id <> CONNECTION_ID() AND time_ms > 100";
	gint64 patience = base_clock_boot() + 4000;
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	AUTO(db) third = test_db_open(fixture->database);
	struct keyed keyed = {fixture, posting_key(fixture, "k", "{}"), NULL};

	test_db_plain(fixture->db, "START TRANSACTION");
	cr_assert(store_idempotency_take_all(fixture->db,
	    &(struct store_idempotency_taking){&keyed.key.key, "theirs"}, 1, base_clock_now(),
	    NULL));
	GThread *thread = g_thread_new("request", send_keyed, &keyed);
	while (test_db_number(third, waits) == 0 && base_clock_boot() < patience)
		g_usleep(2000);
	test_db_plain(fixture->db, "COMMIT");
	g_thread_join(thread);
	cr_assert(keyed.sending);
	cr_expect(keyed.sending->request.replayed);
	cr_expect(service_once_follow(fixture->service, &keyed.sending->request, NULL));
	cr_expect_str_eq(keyed.sending->request.answer, "theirs");
	service_once_free(&keyed.sending->request);
	cr_expect_eq(test_db_number(third, "SELECT COUNT(*) FROM email"), 0);
	cr_expect_eq(mails(fixture), 0);
}

struct within {
	struct service *service;
	struct submit_sending *sending;
};

static bool
send_store_within(struct db *db, void *context, GError **error)
{
	const struct within *within = context;
	struct service_once *request = &within->sending->request;

	return request->kind->store(within->service, &request, 1, error);
}

Test(send, attempts_at_the_end_what_was_stored_with_other_work)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct email_submission submission = fixture_submission();
	g_autoptr(GError) error = NULL;
	struct within within = {
	    fixture->service, submit_send_check(fixture->service, &fixture->key.workspace_id,
				  &submission, NULL, true, &error)};

	cr_assert(within.sending, "%s", error ? error->message : "");
	cr_assert(db_transact(fixture->service->db, send_store_within, &within, &error));
	g_autofree char *outbox = fixture_outbox(fixture);
	cr_expect_str_eq(outbox, "0: 0 attempts, claimed\n");
	cr_expect(service_once_finish(fixture->service, &within.sending->request, &error));
	cr_expect_eq(mails(fixture), 1);
}

Test(send, leaves_to_the_spool_what_it_cannot_keep_a_journal_of)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	const char *dir = config_settings_text(fixture->settings, SETTING_SPOOL_DIR);
	struct email_submission submission = fixture_submission();
	g_autoptr(GError) error = NULL;

	cr_assert_eq(rmdir(dir), 0);
	struct submit_sending *sending = send_store(fixture, &submission, NULL, &error);
	cr_assert(sending, "%s", error ? error->message : "");
	cr_expect_not(service_once_follow(fixture->service, &sending->request, &error));
	cr_expect(error && strstr(error->message, dir));
	posting_expect(fixture, "without a journal", &sending->id, "", "0: 0 attempts, now\n");
	service_once_free(&sending->request);
	cr_expect_eq(mails(fixture), 0);
}

Test(send, stores_nothing_of_what_it_refuses)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct email_submission submission = fixture_submission();
	g_autoptr(GError) error = NULL;

	submission.from = "a@example.org";
	cr_expect_null(send_store(fixture, &submission, NULL, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM email"), 0);
	cr_expect_eq(mails(fixture), 0);
}

/* A claim that the COMMIT may have stored is given up with the journal, and another process takes
 * it over. */
Test(send, keeps_no_claim_that_it_does_not_know_of)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);
	struct email_submission submission = fixture_submission();
	g_autoptr(GError) error = NULL;

	fixture_use_proxy(fixture);
	fixture_renew(fixture, &good, NULL);
	const char *path = config_settings_text(fixture->settings, SETTING_DATABASE_SOCKET);
	g_autofree char *away = g_strconcat(path, ".away", NULL);
	test_proxy_break(fixture->proxy, TEST_PROXY_CUT_ANSWER, TEST_PROXY_COMMIT, "", 0);
	cr_assert_eq(g_rename(path, away), 0);
	cr_expect_null(send_store(fixture, &submission, NULL, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_UNCERTAIN), "%s", error->message);
	cr_expect_not(fixture->service->process->journal);
	cr_assert_eq(g_rename(away, path), 0);
	g_autofree char *outbox = fixture_outbox(fixture);
	cr_expect_str_eq(outbox, "0: 0 attempts, claimed\n");
}
