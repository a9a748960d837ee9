/* SPDX-License-Identifier: MIT */
/* Emails with content that differs for each recipient: their outbox entries and messages. */
#include <criterion/criterion.h>
#include <gmime/gmime.h>
#include <string.h>

#include "config/settings.h"
#include "content/content.h"
#include "db/transaction.h"
#include "email/compose.h"
#include "email/draft.h"
#include "json/strict.h"
#include "link/token.h"
#include "submit/submit.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

#define URL "[service]\nurl = https://mail.example.com/post\n"

static struct email_draft *
personal_make(struct fixture *fixture, const struct email_submission *submission)
{
	g_autoptr(GError) error = NULL;
	struct email_draft *draft =
	    email_draft_new(fixture->service, &fixture->key.workspace_id, submission, &error);

	cr_assert(draft, "%s", error ? error->message : "");
	return draft;
}

static void
track(struct fixture *fixture, bool opens, bool clicks)
{
	const struct store_domain_change change = {&opens, &clicks, NULL};

	cr_assert(store_domain_change(
	    fixture->db, &fixture->key.workspace_id, &fixture->domain->id, &change, NULL));
}

/* "0 1 2" or "0 | 1 | 2": the recipients of each outbox entry. */
static char *
entries_of(const struct email_draft *draft)
{
	GString *text = g_string_new(NULL);

	for (guint c = 0; c < draft->count; c++) {
		g_string_append(text, c > 0 ? " |" : "");
		for (guint i = 0; i < draft->entries[c].count; i++)
			g_string_append_printf(
			    text, "%s%u", c + i > 0 ? " " : "", draft->entries[c].recipients[i]);
	}
	return g_string_free(text, FALSE);
}

Test(personal, has_a_copy_for_each_recipient)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	const struct {
		const char *name, *html, *text, *variables;
		bool automation, opens, clicks;
		guint want;
		const char *want_copies;
	} cases[] = {
	    {.name = "nothing of it", .want_copies = "0 1 2"},
	    {.name = "opens", .opens = true, .want = TRACK_OPENS, .want_copies = "0 | 1 | 2"},
	    {.name = "clicks", .clicks = true, .want = TRACK_CLICKS, .want_copies = "0 | 1 | 2"},
	    {.name = "automation",
		.automation = true,
		.want = TRACK_UNSUBSCRIBE,
		.want_copies = "0 | 1 | 2"},
	    {.name = "in html",
		.html = "<a href='{{ unsubscribe_url }}'>",
		.want = TRACK_UNSUBSCRIBE,
		.want_copies = "0 | 1 | 2"},
	    {.name = "in text, with a fallback",
		.text = "{{unsubscribe_url|#}}",
		.want = TRACK_UNSUBSCRIBE,
		.want_copies = "0 | 1 | 2"},
	    {.name = "another variable",
		.html = "{{unsubscribe_url2}}{{unsubscribe_ur}}",
		.want_copies = "0 1 2"},
	    {.name = "the sender's own",
		.html = "{{unsubscribe_url}}",
		.variables = "{\"unsubscribe_url\": \"https://x.org/\"}",
		.want_copies = "0 1 2"},
	    {.name = "text alone",
		.html = "",
		.text = "https://x.org/",
		.opens = true,
		.clicks = true,
		.want_copies = "0 1 2"},
	    {.name = "text alone with its own link",
		.html = "",
		.text = "{{unsubscribe_url}}",
		.opens = true,
		.clicks = true,
		.want = TRACK_UNSUBSCRIBE,
		.want_copies = "0 | 1 | 2"},
	    {.name = "all",
		.html = "{{unsubscribe_url}}",
		.opens = true,
		.clicks = true,
		.want = TRACK_OPENS | TRACK_CLICKS | TRACK_UNSUBSCRIBE,
		.want_copies = "0 | 1 | 2"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *given = cases[i].variables ? cases[i].variables : "{}";
		AUTO(json) variables = json_parse(given, strlen(given), NULL);
		struct email_submission submission = fixture_submission();

		track(fixture, cases[i].opens, cases[i].clicks);
		submission.to = (const char *[]){"b@x.org", "c@x.org", NULL};
		submission.bcc = (const char *[]){"d@x.org", NULL};
		submission.purpose =
		    cases[i].automation ? EMAIL_PURPOSE_STEP_MAILING : EMAIL_PURPOSE_REQUEST;
		submission.variables = variables;
		submission.text = cases[i].text;
		if (cases[i].html)
			submission.html = cases[i].html;
		AUTO(email_draft) draft = personal_make(fixture, &submission);
		g_autofree char *copies = entries_of(draft);
		cr_expect_eq(draft->email->tracking, cases[i].want, "%s: got %u, want %u",
		    cases[i].name, draft->email->tracking, cases[i].want);
		cr_expect_str_eq(copies, cases[i].want_copies, "%s: got %s, want %s", cases[i].name,
		    copies, cases[i].want_copies);
		cr_expect_eq(draft->email->type,
		    cases[i].automation ? EMAIL_AUTOMATION : EMAIL_TRANSACTIONAL);
	}
}

Test(personal, tracks_nothing_where_links_would_lead_nowhere)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct email_submission submission = fixture_submission();

	track(fixture, true, true);
	AUTO(email_draft) draft = personal_make(fixture, &submission);
	cr_expect_eq(draft->email->tracking, 0);
	submission.purpose = EMAIL_PURPOSE_STEP_MAILING;
	AUTO(email_draft) own = personal_make(fixture, &submission);
	cr_expect_eq(own->email->tracking, TRACK_UNSUBSCRIBE);
}

static GMimeMessage *
personal_compose(struct fixture *fixture, const struct store_email *email, guint recipient)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes = email_compose(fixture->service, email, recipient, NULL, &error);

	cr_assert(bytes, "%s", error ? error->message : "");
	GMimeStream *stream = g_mime_stream_mem_new_with_buffer(
	    g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	GMimeParser *parser = g_mime_parser_new_with_stream(stream);
	GMimeMessage *message = g_mime_parser_construct_message(parser, NULL);
	g_object_unref(parser);
	g_object_unref(stream);
	return message;
}

static char *
personal_header_of(GMimeMessage *message, const char *name)
{
	return g_strdup(g_mime_object_get_header(GMIME_OBJECT(message), name));
}

static guint
count_headers(GMimeMessage *message, const char *name)
{
	GMimeHeaderList *headers = g_mime_object_get_header_list(GMIME_OBJECT(message));
	guint count = 0;

	for (int i = 0; i < g_mime_header_list_get_count(headers); i++) {
		GMimeHeader *header = g_mime_header_list_get_header_at(headers, i);

		count += g_ascii_strcasecmp(g_mime_header_get_name(header), name) == 0;
	}
	return count;
}

/* The values that are each recipient's own, as patterns. */
#define PAGE "https://mail.example.com/post/t/u/"
#define ADDRESS "mailto:u+*@send.example.com?subject=unsubscribe"

#define HTTP(host) "[service]\nurl = http://" host "\n"

Test(personal, says_how_to_unsubscribe_in_its_header)
{
	const struct {
		const char *name, *more, *headers;
		bool automation;
		guint recipient;
		const char *want, *want_post; /* a pattern */
	} cases[] = {
	    {"automation", URL, "{}", true, 0, "<" PAGE "*>, <" ADDRESS ">",
		"List-Unsubscribe=One-Click"},
	    {"shared", URL, "{}", true, COMPOSE_SHARED, NULL, NULL},
	    {"transactional", URL, "{}", false, 0, NULL, NULL},
	    {"without a URL", NULL, "{}", true, 0, "<" ADDRESS ">", NULL},
	    {"where no mail is received", "return_path = bounces@example.net\n" URL, "{}", true, 0,
		"<" PAGE "*>", "List-Unsubscribe=One-Click"},
	    {"neither", "return_path = bounces@example.net\n", "{}", true, 0, NULL, NULL},
	    {"the sender's own", URL, "{\"list-unsubscribe\": \"<https://x.org/>\"}", true, 0,
		"<https://x.org/>", NULL},
	    {"the sender's own answer to the button", URL,
		"{\"List-unsubscribe-Post\": \"List-Unsubscribe=One-Click\"}", true, 0,
		"<" PAGE "*>, <" ADDRESS ">", "List-Unsubscribe=One-Click"},
	    {"http, and the sender's own answer", HTTP("mail.example.com"),
		"{\"List-Unsubscribe-Post\": \"List-Unsubscribe=One-Click\"}", true, 0,
		"<http://*>, <" ADDRESS ">", NULL},
	    {"a trial", HTTP("127.0.0.1:8025"), "{}", true, 0, "<http://*>, <" ADDRESS ">",
		"List-Unsubscribe=One-Click"},
	    {"both of the sender's", HTTP("mail.example.com"),
		"{\"List-Unsubscribe\": \"<mailto:a@x.org>, <https://x.org/>\","
		" \"List-Unsubscribe-Post\": \"List-Unsubscribe=One-Click\"}",
		false, 0, "<mailto:a@x.org>, <https://x.org/>", "List-Unsubscribe=One-Click"},
	    {"both of the sender's, by http", URL,
		"{\"List-Unsubscribe\": \"<http://x.org/>\","
		" \"List-Unsubscribe-Post\": \"List-Unsubscribe=One-Click\"}",
		false, 0, "<http://x.org/>", NULL},
	};

	g_mime_init();
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(fixture) fixture = fixture_open(NULL, cases[i].more);
		AUTO(json) headers = json_parse(cases[i].headers, strlen(cases[i].headers), NULL);
		struct email_submission submission = fixture_submission();

		submission.purpose =
		    cases[i].automation ? EMAIL_PURPOSE_STEP_MAILING : EMAIL_PURPOSE_REQUEST;
		submission.headers = headers;
		AUTO(email_draft) draft = personal_make(fixture, &submission);
		GMimeMessage *message = personal_compose(fixture, draft->email, cases[i].recipient);
		g_autofree char *got = personal_header_of(message, "List-Unsubscribe");
		g_autofree char *post = personal_header_of(message, "List-Unsubscribe-Post");
		cr_expect(cases[i].want ? got && g_pattern_match_simple(cases[i].want, got) : !got,
		    "%s: got %s, want %s", cases[i].name, got, cases[i].want);
		cr_expect_eq(g_strcmp0(post, cases[i].want_post), 0, "%s: got %s, want %s",
		    cases[i].name, post, cases[i].want_post);
		cr_expect_eq(count_headers(message, "List-Unsubscribe-Post"), post ? 1 : 0, "%s",
		    cases[i].name);
		g_object_unref(message);
	}
}

/* RFC 8058 section 4: a signature must cover both. */
Test(personal, signs_how_to_unsubscribe)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct email_submission submission = fixture_submission();

	g_mime_init();
	submission.purpose = EMAIL_PURPOSE_STEP_MAILING;
	AUTO(email_draft) draft = personal_make(fixture, &submission);
	GMimeMessage *message = personal_compose(fixture, draft->email, 0);
	g_autofree char *signature = personal_header_of(message, "DKIM-Signature");
	g_auto(GStrv) words = g_strsplit_set(signature, " \t\r\n", -1);
	g_autofree char *joined = g_strjoinv("", words);
	cr_expect(strstr(joined, ":List-Unsubscribe:List-Unsubscribe:List-Unsubscribe-Post:"
				 "List-Unsubscribe-Post:Feedback-ID;"),
	    "%s", joined);
	g_object_unref(message);
}

/* The part of text between the two; the caller owns it. */
static char *
between(const char *text, const char *before, const char *after)
{
	const char *start = strstr(text, before);

	cr_assert(start, "no %s in %s", before, text);
	start += strlen(before);
	return g_strndup(start, strcspn(start, after));
}

static void
expect_token(
    struct fixture *fixture, const char *text, const struct base_id *email, guint recipient)
{
	struct link_token token = {0};

	cr_assert(link_token_read(config_settings_secret(fixture->settings), TOKEN_UNSUBSCRIBE,
		      text, NULL, &token),
	    "%s", text);
	cr_expect(base_id_equal(&token.email, email));
	cr_expect_eq(token.recipient, recipient);
}

Test(personal, gives_each_recipient_their_own_page)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct email_submission submission = fixture_submission();

	g_mime_init();
	submission.to = (const char *[]){"b@x.org", "c@x.org", NULL};
	submission.html = "<p><a href=\"{{unsubscribe_url}}\">go</a></p>";
	AUTO(email_draft) draft = personal_make(fixture, &submission);
	for (guint i = 0; i < 2; i++) {
		GMimeMessage *message = personal_compose(fixture, draft->email, i);
		GMimeMultipart *parts = GMIME_MULTIPART(g_mime_message_get_mime_part(message));
		g_autofree char *text =
		    g_mime_text_part_get_text(GMIME_TEXT_PART(g_mime_multipart_get_part(parts, 0)));
		g_autofree char *html =
		    g_mime_text_part_get_text(GMIME_TEXT_PART(g_mime_multipart_get_part(parts, 1)));
		g_autofree char *header = personal_header_of(message, "List-Unsubscribe");
		g_autofree char *in_html = between(html, "<a href=\"" PAGE, "\"");
		g_autofree char *in_text = between(text, PAGE, ")");
		g_autofree char *in_header = between(header, PAGE, ">");
		g_autofree char *in_address = between(header, "mailto:u+", "@");
		struct link_token token = {0};

		expect_token(fixture, in_html, &draft->email->id, i);
		cr_expect_str_eq(in_text, in_html);
		cr_expect_str_eq(in_header, in_html);
		cr_assert(link_token_read_hex(config_settings_secret(fixture->settings),
			      TOKEN_UNSUBSCRIBE, in_address, &token),
		    "%s", in_address);
		cr_expect_eq(token.recipient, i);
		g_object_unref(message);
	}
}

/* GET shows the content without them, as content_read gives it. */
Test(personal, has_its_pixel_and_links)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct email_submission submission = fixture_submission();

	g_mime_init();
	track(fixture, true, true);
	submission.html = "<p><a href=\"http://y.org/\">go</a></p>";
	AUTO(email_draft) draft = personal_make(fixture, &submission);
	GMimeMessage *message = personal_compose(fixture, draft->email, 0);
	GMimeMultipart *parts = GMIME_MULTIPART(g_mime_message_get_mime_part(message));
	g_autofree char *text =
	    g_mime_text_part_get_text(GMIME_TEXT_PART(g_mime_multipart_get_part(parts, 0)));
	g_autofree char *html =
	    g_mime_text_part_get_text(GMIME_TEXT_PART(g_mime_multipart_get_part(parts, 1)));
	cr_expect(
	    g_pattern_match_simple("<p><a href=\"https://mail.example.com/post/t/c/*?d=*\">go</a>"
				   "</p><img src=\"https://mail.example.com/post/t/o/*\"*>*",
		html),
	    "%s", html);
	cr_expect(strstr(text, "http://y.org/"), "%s", text);
	cr_expect_not(strstr(text, "/t/"), "%s", text);
	g_object_unref(message);
}

/* Each entry is a message of its own to the relay, with its own outcome. */
Test(personal, leaves_in_copies)
{
	static const struct smtp_script script = {
	    .rules = {REPLY("RCPT TO:<c@*", 0, "550 5.1.1 no such user")}};
	AUTO(fixture) fixture = fixture_open(&script, URL);

	track(fixture, true, false);
	struct base_id email = posting_submit(fixture, "b@x.org c@x.org d@x.org");
	posting_deliver(fixture);
	posting_expect(fixture, "copies", &email,
	    "0 sent\n1 bounced Permanent 5.1.1: 550 5.1.1 no such user\n2 sent\n", "");
}

static bool
personal_store(struct db *db, void *context, GError **error)
{
	return submit_store(db, (const struct email_draft *const *)&context, 1, error);
}

/* Stores as workflows do, in a transaction of its own. */
Test(personal, is_stored_with_what_else_a_transaction_does)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct email_submission submission = fixture_submission();
	g_autoptr(GError) error = NULL;

	submission.purpose = EMAIL_PURPOSE_STEP_MAILING;
	AUTO(email_draft) draft = personal_make(fixture, &submission);
	cr_assert(db_transact(fixture->service->db, personal_store, draft, &error), "%s",
	    error ? error->message : "");
	AUTO(store_email) email = fixture_email(fixture, &draft->email->id);
	cr_expect_eq(email->type, EMAIL_AUTOMATION);
	cr_expect_eq(email->tracking, TRACK_UNSUBSCRIBE);
	g_autofree char *outbox = fixture_outbox(fixture);
	cr_expect_str_eq(outbox, "0: 0 attempts, now\n");
}
