/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "mail/address.h"
#include "mail/header.h"
#include "mail/message.h"

Test(header, knows_the_fields_that_are_not_the_callers)
{
	static const struct {
		const char *name;
		bool want;
	} cases[] = {
	    {"From", true},
	    {"bcc", true},
	    {"MESSAGE-ID", true},
	    {"Content-Type", true},
	    {"content-", true},
	    {"DKIM-Signature", true},
	    {"ARC-Seal", true},
	    {"x-posthouse-id", true},
	    {"Resent-To", true},
	    {"Received", true},
	    {"Original-Recipient", true},
	    {"Received-SPF", false},
	    {"Contents", false},
	    {"X-From", false},
	    {"Fro", false},
	    {"In-Reply-To", false},
	    {"List-Unsubscribe", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(mail_header_reserved(cases[i].name), cases[i].want, "%s: want %d",
		    cases[i].name, cases[i].want);
}

static void
header_expect_check(const char *name, const char *value, bool want)
{
	g_autoptr(GError) error = NULL;
	struct mail_header header = {name, value};
	bool got = mail_header_check(&header, &error);

	cr_expect_eq(got, want, "%s: %.80s: got %d, want %d", name, value, got, want);
	cr_expect_eq(got, error == NULL, "%s: an error exactly when refused", name);
	if (error)
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "%s: %s", name,
		    error->message);
}

Test(header, refuses_what_could_break_out_of_a_field)
{
	static const struct {
		const char *name;
		const char *value;
		bool want;
	} cases[] = {
	    {"X-A", "b", true},
	    {"X-A", "", true},
	    {"X-A", "b\tc", true},
	    {"X-A", "Gr\303\274\303\237e", true},
	    {"!#$%&'*+-.^_`{|}~", "all that a name may be", true},
	    {"", "b", false},
	    {"X A", "b", false},
	    {"X-A:", "b", false},
	    {"X-A\r\nBcc", "b", false},
	    {"X-\303\274", "b", false},
	    {"X-\177", "b", false},
	    {"X-A", "b\r\nBcc: c", false},
	    {"X-A", "b\n", false},
	    {"X-A", "\rb", false},
	    {"X-A", "b\377", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		header_expect_check(cases[i].name, cases[i].value, cases[i].want);
}

Test(header, holds_names_and_words_to_their_limits)
{
	for (gsize over = 0; over <= 1; over++) {
		g_autofree char *name = g_strnfill(LIMIT_HEADER_NAME_LENGTH + over, 'n');
		g_autofree char *word = g_strnfill(997 + over, 'w');
		g_autofree char *words = g_strconcat(word, " ", word, NULL);
		header_expect_check(name, "b", !over);
		header_expect_check("X-A", word, !over);
		header_expect_check("X-A", words, !over);
	}
}

Test(header, knows_a_content_type)
{
	static const struct {
		const char *text;
		bool want;
	} cases[] = {
	    {"text/plain", true},
	    {"application/vnd.ms-excel.sheet+xml", true},
	    {"text/plain; charset=utf-8", true},
	    {"text/plain;charset=\"utf-8\" ; format=flowed", true},
	    {"", false},
	    {"text", false},
	    {"text/", false},
	    {"/plain", false},
	    {"text/plain/x", false},
	    {"text /plain", false},
	    {"text/plain ", false},
	    {"text/plain;", false},
	    {"text/plain; charset", false},
	    {"text/plain; charset=", false},
	    {"text/plain; charset=\"utf-8", false},
	    {"text/plain; x=\"a\\\"b\"", false},
	    {"text/plain; x=\"a\r\nb\"", false},
	    {"text/plain\r\nBcc: x", false},
	    {"text/pl\303\244in", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(mail_header_content_type(cases[i].text), cases[i].want, "%s: want %d",
		    cases[i].text, cases[i].want);
}

Test(header, knows_an_id)
{
	static const struct {
		const char *text;
		bool want;
	} cases[] = {{"logo", true}, {"a.b@c", true}, {"", false}, {"a b", false}, {"a>b", false},
	    {"<a", false}, {"a\n", false}, {"\303\244", false}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(mail_header_id(cases[i].text, strlen(cases[i].text)), cases[i].want,
		    "%s: want %d", cases[i].text, cases[i].want);
}

#define BAD "a\r\nBcc: eve@example.org"

/* Composes the smallest message with the case's values; "" or the error. */
struct fault_case {
	const char *name;
	const char *from;
	const char *from_name;
	const char *to;
	const char *cc;
	const char *reply_to;
	const char *subject;
	const char *message_id;
	struct mail_header header;
	struct mail_header extra;
	struct mail_attachment attachment;
	const char *want; /* in the error; NULL for no error */
};

static GBytes *
header_compose(const struct fault_case *c, GError **error)
{
	struct mail_address from = {(char *)(c->from_name ? c->from_name : ""),
	    (char *)(c->from ? c->from : "ann@example.com")};
	const char *const texts[] = {c->to, c->cc, c->reply_to};
	struct mail_address addresses[3];
	gpointer recipients[3];
	GPtrArray lists[3];
	struct mail_message message = {.from = &from,
	    .to = &lists[0],
	    .cc = &lists[1],
	    .reply_to = &lists[2],
	    .subject = c->subject ? c->subject : "Hello",
	    .text = "Hi",
	    .text_size = 2,
	    .headers = &c->header,
	    .header_count = c->header.name != NULL,
	    .extra = &c->extra,
	    .extra_count = c->extra.name != NULL,
	    .attachments = &c->attachment,
	    .attachment_count = c->attachment.data != NULL,
	    .message_id = c->message_id ? c->message_id : "<1@example.com>"};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		addresses[i].name = NULL;
		addresses[i].address = (char *)(texts[i] ? texts[i] : "bob@example.org");
		recipients[i] = &addresses[i];
		lists[i] = (GPtrArray){.pdata = &recipients[i], .len = 1};
	}
	return mail_message_compose(&message, error);
}

static void
header_expect(const struct fault_case *c)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes = header_compose(c, &error);

	cr_expect_eq(bytes != NULL, c->want == NULL, "%s: got %s", c->name,
	    bytes ? "a message" : error->message);
	if (!error || !c->want)
		return;
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "%s", c->name);
	cr_expect(strstr(error->message, c->want), "%s: got %s, want %s in it", c->name,
	    error->message, c->want);
}

Test(check, lets_nothing_break_out_of_its_place)
{
	static const struct fault_case cases[] = {
	    {.name = "nothing"},
	    {.name = "from", .from = BAD, .want = "from "},
	    {.name = "from in two", .from = "a@example.com>, <b@example.com", .want = "from "},
	    {.name = "from in UTF-8", .from = "a@b\303\274cher.example", .want = "from "},
	    {.name = "from name", .from_name = BAD, .want = "from "},
	    {.name = "from name not UTF-8", .from_name = "\377", .want = "from "},
	    {.name = "to", .to = BAD, .want = "to "},
	    {.name = "cc", .cc = BAD, .want = "cc "},
	    {.name = "reply_to", .reply_to = BAD, .want = "reply_to "},
	    {.name = "subject", .subject = BAD, .want = "subject "},
	    {.name = "subject with LF", .subject = "a\n", .want = "subject "},
	    {.name = "subject not UTF-8", .subject = "a\377", .want = "subject "},
	    {.name = "message id", .message_id = "<a\r\n b>", .want = "message_id "},
	    {.name = "message id bare", .message_id = "a@b", .want = "message_id "},
	    {.name = "message id empty", .message_id = "<>", .want = "message_id "},
	    {.name = "message id in two", .message_id = "<a> <b>", .want = "message_id "},
	    {.name = "header", .header = {"X-A", "b"}},
	    {.name = "header value", .header = {"X-A", BAD}, .want = "headers[0] "},
	    {.name = "header name", .header = {"X-A: b\r\nBcc", "c"}, .want = "headers[0] "},
	    {.name = "header reserved", .header = {"bcc", "c"}, .want = "headers.bcc "},
	    {.name = "extra", .extra = {"Return-Path", "<a@b>"}},
	    {.name = "extra value", .extra = {"X-A", BAD}, .want = "headers[0] "},
	    {.name = "filename",
		.attachment = {BAD, NULL, NULL, "x", 1},
		.want = "attachments[0].filename "},
	    {.name = "content type",
		.attachment = {"a", "text/plain\r\nBcc: a", NULL, "x", 1},
		.want = "attachments[0].content_type "},
	    {.name = "content id",
		.attachment = {"a", NULL, "a>\r\nBcc: a", "x", 1},
		.want = "attachments[0].content_id "},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		header_expect(&cases[i]);
}

Test(check, refuses_a_date_that_has_no_form)
{
	struct mail_address from = {NULL, (char *)"ann@example.com"};
	struct mail_message message = {.from = &from,
	    .subject = "",
	    .text = "",
	    .message_id = "<1@example.com>",
	    .date = 253402300800000};
	g_autoptr(GError) error = NULL;

	cr_expect_null(mail_message_compose(&message, &error));
	cr_expect(strstr(error->message, "date "), "got %s", error->message);
	message.date--;
	g_autoptr(GBytes) bytes = mail_message_compose(&message, NULL);
	cr_expect_not_null(bytes);
}

static char *
header_repeated(const char *text, gsize count)
{
	GString *out = g_string_new(NULL);

	for (gsize i = 0; i < count; i++)
		g_string_append(out, text);
	return g_string_free(out, FALSE);
}

Test(check, holds_each_to_its_limit)
{
	for (gsize over = 0; over <= 1; over++) {
		g_autofree char *filename =
		    header_repeated("\303\274", LIMIT_FILENAME_LENGTH + over);
		g_autofree char *subtype =
		    header_repeated("x", LIMIT_CONTENT_TYPE_LENGTH - 5 + over);
		g_autofree char *type = g_strconcat("text/", subtype, NULL);
		g_autofree char *id = header_repeated("x", LIMIT_CONTENT_ID_LENGTH + over);
		g_autofree char *message_text = header_repeated("x", 995 + over);
		g_autofree char *message_id = g_strconcat("<", message_text, ">", NULL);
		const struct fault_case cases[] = {
		    {.name = "filename",
			.attachment = {filename, NULL, NULL, "x", 1},
			.want = over ? "attachments[0].filename " : NULL},
		    {.name = "content type",
			.attachment = {"a", type, NULL, "x", 1},
			.want = over ? "attachments[0].content_type " : NULL},
		    {.name = "content id",
			.attachment = {"a", NULL, id, "x", 1},
			.want = over ? "attachments[0].content_id " : NULL},
		    {.name = "message id",
			.message_id = message_id,
			.want = over ? "message_id " : NULL},
		};
		for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
			header_expect(&cases[i]);
	}
}

Test(header, knows_invitations)
{
	static const struct {
		const char *type;
		bool want;
	} cases[] = {
	    {"text/calendar; method=REQUEST", true},
	    {"Text/Calendar;charset=utf-8; METHOD=\"CANCEL\"", true},
	    {"text/calendar", false},
	    {"text/calendar; charset=utf-8", false},
	    {"text/calendar; x=\"; method=REQUEST\"", false},
	    {"text/calendars; method=REQUEST", false},
	    {"text/plain; method=REQUEST", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(
		    mail_header_invites(cases[i].type), cases[i].want, "%s", cases[i].type);
}
