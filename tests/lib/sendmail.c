/* SPDX-License-Identifier: MIT */
#include "submit/sendmail.h"

#include <criterion/criterion.h>
#include <string.h>

#include "content/content.h"
#include "submit/submit.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

static struct base_id
lib_sendmail_submit(
    struct fixture *fixture, const char *message, bool reads_recipients, char **recipients)
{
	const struct submit_sendmail given = {
	    .data = message,
	    .size = strlen(message),
	    .recipients = recipients,
	    .reads_recipients = reads_recipients,
	};
	g_autoptr(GError) error = NULL;
	struct submit_sending *sending =
	    submit_sendmail_check(fixture->service, &fixture->key.workspace_id, &given, &error);
	AUTO(service_once) request = sending ? &sending->request : NULL;

	cr_assert(request && service_once_store_one(fixture->service, request, &error), "%s",
	    error ? error->message : "");
	return sending->id;
}

static void
sendmail_expect_text(const char *name, const char *got, const char *want)
{
	cr_expect_eq(g_strcmp0(got, want), 0, "%s: got %s, want %s", name, got, want);
}

static void
expect_bytes(const char *name, GBytes *got, const char *want)
{
	g_autofree char *text =
	    got ? g_strndup(g_bytes_get_data(got, NULL), g_bytes_get_size(got)) : NULL;

	sendmail_expect_text(name, text, want);
}

/* The message as the API shows it. */
static void
sendmail_expect_shown(
    struct fixture *fixture, const struct base_id *id, const char *html, const char *text)
{
	g_autofree struct store_event_history *histories = NULL;
	AUTO(store_email)
	email =
	    store_email_show(fixture->db, NULL, &fixture->key.workspace_id, id, &histories, NULL);
	struct content content;

	cr_assert(email);
	cr_expect_eq(email->type, EMAIL_TRANSACTIONAL);
	cr_expect_eq(email->tracking, 0);
	AUTO(store_email) whole = fixture_email(fixture, id);
	cr_expect(store_email_is_raw(whole));
	cr_assert(content_read(email, NULL, NULL, &content, NULL));
	expect_bytes("html", content.html, html);
	expect_bytes("text", content.text, text);
	content_clear(&content);
	store_event_history_clear(histories, email->recipients->len);
}

#define FROM "From: =?utf-8?q?J=C3=B6rg?= <a@example.com>\n"

Test(sendmail, is_shown_by_its_parts)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id both = lib_sendmail_submit(fixture,
	    FROM
	    "To: Bob <b@x.org>\nCC: c@x.org\nBcc: d@x.org\nReply-To: e@x.org\n"
	    "Subject: =?utf-8?q?gr=C3=BCn?=\nContent-Type: multipart/alternative; boundary=b\n\n"
	    "--b\n\n{{name}}\n--b\nContent-Type: text/html\n\n<p>{{name}} "
	    "{{unsubscribe_url}}</p>\n--b--\n",
	    true, NULL);
	struct base_id text = lib_sendmail_submit(fixture, FROM "To: b@x.org\n\nx\n", true, NULL);
	struct base_id html = lib_sendmail_submit(
	    fixture, FROM "To: b@x.org\nContent-Type: text/html\n\n<p>x\n", true, NULL);
	struct base_id none = lib_sendmail_submit(
	    fixture, FROM "To: b@x.org\nContent-Type: image/png\n\nx\n", true, NULL);

	sendmail_expect_shown(fixture, &both, "<p>{{name}} {{unsubscribe_url}}</p>", "{{name}}");
	sendmail_expect_shown(fixture, &text, NULL, "x\n");
	sendmail_expect_shown(fixture, &html, "<p>x\n", "");
	sendmail_expect_shown(fixture, &none, NULL, "");
	AUTO(store_email) email = fixture_email(fixture, &both);
	sendmail_expect_text("from", email->sender, "J\xc3\xb6rg <a@example.com>");
	sendmail_expect_text("to", email->to, "Bob <b@x.org>");
	sendmail_expect_text("cc", email->cc, "c@x.org");
	sendmail_expect_text("bcc", email->bcc, "d@x.org");
	sendmail_expect_text("reply_to", email->reply_to, "e@x.org");
	sendmail_expect_text("subject", email->subject, "gr\xc3\xbcn");
}

Test(sendmail, is_shown_as_its_bytes_are_read)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = lib_sendmail_submit(fixture,
	    "From: J\xf6rg <a@example.com>\nTo: b@x.org\nSubject: \xe9t\xe9\n\n\xe9\n", true, NULL);
	AUTO(store_email) email = fixture_email(fixture, &id);

	sendmail_expect_shown(fixture, &id, NULL, "\xc3\xa9\n");
	sendmail_expect_text("from", email->sender, "J\xc3\xb6rg <a@example.com>");
	sendmail_expect_text("subject", email->subject, "\xc3\xa9t\xc3\xa9");
}

Test(sendmail, tells_blind_recipients_from_others)
{
	static const struct {
		const char *name, *message, *to, *cc, *bcc;
	} cases[] = {
	    {"named", FROM "To: B <B@x.org>\nCc: c@x.org\n\n", "b@x.org", "c@x.org", NULL},
	    {"not named", FROM "To: bb@x.org, b@x.org.uk\nCc: c@x.org\n\n", "", "c@x.org",
		"b@x.org"},
	    {"no To", FROM "\n", "", NULL, "b@x.org, c@x.org"},
	    {"Cc alone", FROM "Cc: C@x.org\n\n", "", "c@x.org", "b@x.org"},
	    {"a Reply-To that is none", FROM "Reply-To: x\n\n", "", NULL, "b@x.org, c@x.org"},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	char *recipients[] = {(char *)"b@x.org", (char *)"c@x.org", NULL};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct base_id id =
		    lib_sendmail_submit(fixture, cases[i].message, false, recipients);
		AUTO(store_email) email = fixture_email(fixture, &id);

		cr_expect_eq(email->recipients->len, 2);
		sendmail_expect_text(cases[i].name, email->to, cases[i].to);
		sendmail_expect_text(cases[i].name, email->cc, cases[i].cc);
		sendmail_expect_text(cases[i].name, email->bcc, cases[i].bcc);
	}
}

/* A content of more than what is read with its email, and of more than one row. */
Test(sendmail, is_sent_by_the_spool_whatever_its_size)
{
	static const struct smtp_script good = {.extensions = "SIZE"};
	AUTO(fixture) fixture = fixture_open(&good, "[service]\nmode = sync\n");
	g_autofree char *line = g_strnfill(900, 'x');
	g_autoptr(GString) message = g_string_new(FROM "To: b@x.org\n\n");

	for (guint i = 0; i < 3000; i++)
		g_string_append_printf(message, "%s\n", line);
	struct base_id id = lib_sendmail_submit(fixture, message->str, true, NULL);
	posting_expect(fixture, "stored", &id, "", "0: 0 attempts, now\n");
	posting_deliver(fixture);
	posting_expect(fixture, "sent", &id, "0 sent\n", "");
	smtp_server_stop(fixture->relay);
	cr_expect(smtp_server_mail(fixture->relay, 0)->bytes->len > message->len);
}
