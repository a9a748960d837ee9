/* SPDX-License-Identifier: MIT */
#include "email/compose.h"

#include <criterion/criterion.h>
#include <gmime/gmime.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/secret.h"
#include "config/settings.h"
#include "email/draft.h"
#include "json/strict.h"
#include "store/domain/key.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

static struct fixture *fixture;

static void
compose_begin(void)
{
	fixture = fixture_open(NULL, NULL);
	g_mime_init();
}

static void
compose_end(void)
{
	fixture_close(fixture);
}

TestSuite(compose, .init = compose_begin, .fini = compose_end);

static struct email_draft *
compose_make(const struct email_submission *submission)
{
	g_autoptr(GError) error = NULL;
	struct email_draft *draft =
	    email_draft_new(fixture->service, &fixture->key.workspace_id, submission, &error);

	cr_assert(draft, "%s", error ? error->message : "");
	return draft;
}

static char *
compose_compose(const struct email_draft *draft)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes =
	    email_compose(fixture->service, draft->email, COMPOSE_SHARED, NULL, &error);

	cr_assert(bytes, "%s", error ? error->message : "");
	return g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

static GMimeMessage *
compose_parse(const char *text)
{
	GMimeStream *stream = g_mime_stream_mem_new_with_buffer(text, strlen(text));
	GMimeParser *parser = g_mime_parser_new_with_stream(stream);
	GMimeMessage *message = g_mime_parser_construct_message(parser, NULL);

	g_object_unref(parser);
	g_object_unref(stream);
	cr_assert(message);
	return message;
}

static void
compose_expect_header(GMimeMessage *message, const char *name, const char *want)
{
	const char *got = g_mime_object_get_header(GMIME_OBJECT(message), name);

	cr_expect_eq(g_strcmp0(got, want), 0, "%s: got %s, want %s", name, got, want);
}

Test(compose, writes_what_was_submitted)
{
	static const char given[] = "{\"X-Campaign\": \"spring\", \"In-Reply-To\": \"<1@x.org>\"}";
	AUTO(json) headers = json_parse(given, strlen(given), NULL);
	struct email_submission submission = fixture_submission();
	char id[ID_TEXT_SIZE];

	submission.from = "\"Ann, B\" <a@news.example.com>";
	submission.to = (const char *[]){"Bo <b@x.org>", "c@x.org", NULL};
	submission.cc = (const char *[]){"d@x.org", NULL};
	submission.bcc = (const char *[]){"secret@x.org", NULL};
	submission.reply_to = (const char *[]){"r@x.org", NULL};
	submission.subject = "Gr\303\274\303\237e";
	submission.headers = headers;
	AUTO(email_draft) draft = compose_make(&submission);
	draft->email->created = G_GINT64_CONSTANT(1800000000123);
	g_autofree char *text = compose_compose(draft);
	GMimeMessage *message = compose_parse(text);
	g_autofree char *want_id =
	    g_strdup_printf("<%s@news.example.com>", base_id_format(&draft->email->id, id));
	compose_expect_header(message, "From", "\"Ann, B\" <a@news.example.com>");
	compose_expect_header(message, "To", "Bo <b@x.org>, c@x.org");
	compose_expect_header(message, "Cc", "d@x.org");
	compose_expect_header(message, "Bcc", NULL);
	compose_expect_header(message, "Reply-To", "r@x.org");
	compose_expect_header(message, "Subject", "Gr\303\274\303\237e");
	compose_expect_header(message, "Message-ID", want_id);
	compose_expect_header(message, "Date", "Fri, 15 Jan 2027 08:00:00 +0000");
	compose_expect_header(message, "X-Campaign", "spring");
	compose_expect_header(message, "In-Reply-To", "<1@x.org>");
	cr_expect_not(strstr(text, "secret"));
	g_object_unref(message);
}

Test(compose, dates_a_scheduled_email_by_its_time)
{
	struct email_submission submission = fixture_submission();
	AUTO(email_draft) draft = compose_make(&submission);

	draft->email->scheduled_at = G_GINT64_CONSTANT(1800000060000);
	g_autofree char *text = compose_compose(draft);
	GMimeMessage *message = compose_parse(text);
	compose_expect_header(message, "Date", "Fri, 15 Jan 2027 08:01:00 +0000");
	g_object_unref(message);
}

Test(compose, writes_text_alone_as_one_part)
{
	struct email_submission submission = fixture_submission();

	submission.html = NULL;
	submission.text = "Hello <b@x.org>\n";
	AUTO(email_draft) draft = compose_make(&submission);
	g_autofree char *text = compose_compose(draft);
	GMimeMessage *message = compose_parse(text);
	GMimeObject *part = g_mime_message_get_mime_part(message);
	cr_expect(GMIME_IS_TEXT_PART(part));
	g_autofree char *type =
	    g_mime_content_type_get_mime_type(g_mime_object_get_content_type(part));
	cr_expect_str_eq(type, "text/plain");
	g_autofree char *got = g_mime_text_part_get_text(GMIME_TEXT_PART(part));
	cr_expect_str_eq(got, "Hello <b@x.org>\r\n");
	g_object_unref(message);
}

/* The message behind the two signatures. */
static const char *
compose_unsigned_part(const char *message)
{
	for (guint i = 0; i < 2; i++) {
		cr_assert(g_str_has_prefix(message, "DKIM-Signature: "), "%.40s", message);
		do {
			message = strstr(message, "\r\n") + 2;
		} while (*message == ' ' || *message == '\t');
	}
	return message;
}

Test(compose, gives_the_same_each_time_but_for_the_signatures)
{
	const struct email_submission_attachment file = {
	    .filename = "a.bin", .content = "AAECAw=="};
	g_autoptr(GArray) attachments = fixture_attachments(&file, 1);
	struct email_submission submission = fixture_submission();

	submission.text = "text";
	submission.attachments = attachments;
	AUTO(email_draft) draft = compose_make(&submission);
	g_autofree char *first = compose_compose(draft);
	base_clock_set(base_clock_now() + 3600 * 1000);
	g_autofree char *later = compose_compose(draft);
	cr_expect_str_neq(first, later);
	cr_expect_str_eq(compose_unsigned_part(first), compose_unsigned_part(later));
}

Test(compose, signs_for_the_registered_domain)
{
	struct email_submission submission = fixture_submission();

	submission.from = "a@news.example.com";
	AUTO(email_draft) draft = compose_make(&submission);
	g_autofree char *text = compose_compose(draft);
	posting_expect_signed(fixture, text, strlen(text));
	cr_expect(strstr(text, "d=example.com;"));
}

Test(compose, tells_what_can_never_be_sent_from_what_can_be_mended)
{
	static const struct {
		const char *name, *sql;
		int want;
	} cases[] = {
	    {"keys cannot be opened", "UPDATE domain_key SET private = REVERSE(private)",
		PH_ERROR_FAILED},
	    {"no keys", "DELETE FROM domain_key", PH_ERROR_NOT_FOUND},
	};
	struct email_submission submission = fixture_submission();
	AUTO(email_draft) draft = compose_make(&submission);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		test_db_plain(fixture->db, cases[i].sql);
		cr_assert_not(
		    email_compose(fixture->service, draft->email, COMPOSE_SHARED, NULL, &error),
		    "%s", cases[i].name);
		cr_expect_eq(error->code, cases[i].want, "%s: got %d: %s", cases[i].name,
		    error->code, error->message);
	}
}
