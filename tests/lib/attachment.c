/* SPDX-License-Identifier: MIT */
#include "email/attachment.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "json/strict.h"
#include "json/value.h"
#include "link/token.h"
#include "service/service.h"
#include "store/email/attachment.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"

/* The bytes of a content, given as JSON; NULL when it is refused. */
static GBytes *
attachment_content(const char *given)
{
	g_autofree char *text = g_strdup_printf("{\"x\": %s}", given);
	AUTO(json) document = json_parse(text, strlen(text), NULL);

	cr_assert(document, "%s", given);
	return email_attachment_content(json_member_get(document, "x"));
}

Test(attachment, content_has_three_forms)
{
	static const struct {
		const char *given, *want; /* want NULL: it is refused */
	} cases[] = {
	    {"\"aGVsbG8=\"", "hello"},
	    {"\"\"", ""},
	    {"[104, 101, 108, 108, 111]", "hello"},
	    {"[]", ""},
	    {"{\"type\": \"Buffer\", \"data\": [104, 105]}", "hi"},
	    {"{\"data\": [104, 105], \"type\": \"Buffer\"}", "hi"},
	    {"\"hello\"", "hello"},
	    {"\"BEGIN:VCALENDAR\\r\\n\"", "BEGIN:VCALENDAR\r\n"},
	    {"\"Pz8_Pj4-\"", "??\?>>>"},
	    {"\"fn5-fg\"", "~~~~"},
	    {"\"a+b-c\"", "a+b-c"},
	    {"\"Hello World\"", "Hello World"},
	    {"\"aGVsbG8\"", "hello"},
	    {"\" aGVs\\r\\n\\tbG8 = \\n\"", "hello"},
	    {"\"aG k=\"", "hi"},
	    {"\"aG k\"", "aG k"},
	    {"\"aGk==\"", "aGk=="},
	    {"\"a=Gk=\"", "a=Gk="},
	    {"\"aGVsb\"", "aGVsb"},
	    {"\"====\"", "===="},
	    {"[256]", NULL},
	    {"[-1]", NULL},
	    {"[1.0]", NULL},
	    {"[\"1\"]", NULL},
	    {"[[1]]", NULL},
	    {"{\"type\": \"buffer\", \"data\": [104, 105]}", NULL},
	    {"{\"type\": \"Buffer\", \"data\": \"aGk=\"}", NULL},
	    {"{\"type\": \"Buffer\"}", NULL},
	    {"{}", NULL},
	    {"1", NULL},
	    {"null", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) bytes = attachment_content(cases[i].given);
		gsize size = 0;
		const char *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;
		g_autofree char *got = bytes ? g_strndup(data ? data : "", size) : NULL;

		cr_expect_eq(g_strcmp0(got, cases[i].want), 0, "%s: got %s", cases[i].given, got);
	}
}

Test(attachment, content_may_have_any_byte)
{
	g_autoptr(GString) text = g_string_new("[0");

	for (int i = 1; i < 256; i++)
		g_string_append_printf(text, ",%d", i);
	g_string_append_c(text, ']');
	g_autoptr(GBytes) bytes = attachment_content(text->str);
	cr_assert_eq(g_bytes_get_size(bytes), 256);
	for (int i = 0; i < 256; i++)
		cr_expect_eq(((const guint8 *)g_bytes_get_data(bytes, NULL))[i], i);
}

Test(attachment, has_a_type_by_its_ending)
{
	static const struct {
		const char *filename, *want;
	} cases[] = {
	    {"a.pdf", "application/pdf"},
	    {"a.b.PNG", "image/png"},
	    {"a.ics", "text/calendar"},
	    {"a.txt", "text/plain"},
	    {"pdf", "application/octet-stream"},
	    {"a.", "application/octet-stream"},
	    {"a.unknown", "application/octet-stream"},
	    {"", "application/octet-stream"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_str_eq(email_attachment_type(cases[i].filename), cases[i].want, "%s: %s",
		    cases[i].filename, email_attachment_type(cases[i].filename));
}

Test(attachment, has_a_name_by_its_url)
{
	static const struct {
		const char *url, *want;
	} cases[] = {
	    {"https://x.org/a/b.pdf", "b.pdf"},
	    {"https://x.org/a/b.pdf?v=1/2#c/d", "b.pdf"},
	    {"https://x.org/r%C3%A9sum%C3%A9.pdf", "r\303\251sum\303\251.pdf"},
	    {"https://x.org/%ff.pdf", "attachment"},
	    {"https://x.org/a/", "attachment"},
	    {"https://x.org", "attachment"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = email_attachment_filename(cases[i].url);

		cr_expect_str_eq(got, cases[i].want, "%s: %s", cases[i].url, got);
	}
}

/* The rows of an email's attachments, and one of them by its number. */
static void
expect_rows(struct fixture *fixture, const struct base_id *id)
{
	const struct base_id *workspace = &fixture->key.workspace_id;
	struct base_id other = base_id_new();
	g_autoptr(GPtrArray) rows =
	    store_attachment_list(fixture->service->db, workspace, id, NULL);

	cr_assert_eq(rows->len, 2);
	const struct store_attachment *first = rows->pdata[0], *second = rows->pdata[1];
	cr_expect_str_eq(first->filename, "a.bin");
	cr_expect_eq(first->size, 4);
	cr_expect_null(first->content_id);
	cr_expect_str_eq(second->content_id, "logo");
	cr_expect_null(store_attachment_list(fixture->service->db, workspace, &other, NULL));
	cr_expect_null(store_attachment_list(fixture->service->db, &other, id, NULL));
	AUTO(store_attachment)
	got = store_attachment_get(fixture->service->db, id, second->number, NULL);
	g_autoptr(GBytes) data = email_attachment_read(fixture->service, got, NULL);
	cr_expect_eq(g_bytes_get_size(data), 1);
	cr_expect_null(store_attachment_get(fixture->service->db, id, 0, NULL));
	struct base_id a = email_attachment_id(id, first->number);
	struct base_id b = email_attachment_id(id, second->number);
	cr_expect_not(base_id_equal(&a, &b));
}

Test(attachment, is_listed_and_read)
{
	const struct email_submission_attachment files[] = {
	    {.filename = "a.bin", .content = "AAECAw=="},
	    {.filename = "b.png", .content = "QQ==", .content_id = "logo"}};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct email_submission submission = fixture_submission(), none = submission;
	g_autoptr(GArray) array = fixture_attachments(files, 2);

	submission.attachments = array;
	struct base_id id = posting_store(fixture, &submission);
	struct base_id bare = posting_store(fixture, &none);
	expect_rows(fixture, &id);
	g_autoptr(GPtrArray) rows =
	    store_attachment_list(fixture->service->db, &fixture->key.workspace_id, &bare, NULL);
	cr_expect(rows && rows->len == 0);
}

#define HOUR ((gint64)3600 * 1000)

Test(attachment, download_ends)
{
	AUTO(fixture) fixture =
	    fixture_open(NULL, "[service]\nurl = https://mail.example.com/base\n");
	struct base_id id = base_id_new();
	struct link_token token;
	gint64 now = base_clock_now();
	g_autofree char *url = email_attachment_url(fixture->service, &id, 3, now + HOUR);
	g_autofree char *until = g_strdup_printf("%" G_GINT64_FORMAT, now + HOUR);
	g_autofree char *later = g_strdup_printf("%" G_GINT64_FORMAT, now + HOUR + 1000);

	cr_assert(g_str_has_prefix(url, "https://mail.example.com/base/t/a/"), "%s", url);
	const char *begin = strstr(url, "/t/a/") + strlen("/t/a/");
	g_autofree char *text = g_strndup(begin, strcspn(begin, "?"));
	cr_expect(g_str_has_suffix(url, until));
	cr_assert(email_attachment_allowed(fixture->service, text, until, &token));
	cr_expect(base_id_equal(&token.email, &id) && token.recipient == 3);
	cr_expect_not(email_attachment_allowed(fixture->service, text, later, &token));
	cr_expect_not(email_attachment_allowed(fixture->service, text, "", &token));
	cr_expect_not(email_attachment_allowed(fixture->service, "x", until, &token));
	base_clock_set(now + HOUR);
	cr_expect_not(email_attachment_allowed(fixture->service, text, until, &token));
}
