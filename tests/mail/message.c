/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "mail/address.h"
#include "mail/message.h"
#include "tests/mail/parsed.h"

static struct mail_address from = {(char *)"Ann", (char *)"ann@example.com"};

/* The smallest message; the cases change it. */
static struct mail_message
smallest(void)
{
	return (struct mail_message){.from = &from,
	    .subject = "Hello",
	    .text = "Hi",
	    .text_size = 2,
	    .date = 1700000000123,
	    .message_id = "<1@example.com>"};
}

#define NAMES "<img src='cid:b'>"

Test(message, nests_only_what_it_must, .init = g_mime_init)
{
	static const struct mail_attachment three[] = {
	    {"a.pdf", "application/pdf", NULL, "a", 1, false},
	    {"b.png", "image/png", "b", "b", 1, false},
	    {"c.ics", "text/calendar", NULL, "c", 1, true}};
	static const struct {
		const char *text;
		const char *html;
		guint first;
		guint count;
		const char *want;
	} cases[] = {
	    {NULL, NULL, 0, 0, "plain"},
	    {"t", NULL, 0, 0, "plain"},
	    {NULL, "h", 0, 0, "html"},
	    {"t", "h", 0, 0, "alternative(plain,html)"},
	    {"t", "h", 0, 1, "mixed(alternative(plain,html),pdf)"},
	    {"t", NAMES, 1, 1, "alternative(plain,related(html,png))"},
	    {"t", NAMES, 0, 2, "mixed(alternative(plain,related(html,png)),pdf)"},
	    {NULL, NAMES, 1, 1, "related(html,png)"},
	    {NULL, NAMES, 0, 2, "mixed(related(html,png),pdf)"},
	    {"t", "h", 1, 1, "mixed(alternative(plain,html),png)"},
	    {"t", NULL, 0, 1, "mixed(plain,pdf)"},
	    {"t", NULL, 0, 2, "mixed(plain,pdf,png)"},
	    {"t", NULL, 2, 1, "alternative(plain,calendar)"},
	    {NULL, NULL, 2, 1, "alternative(plain,calendar)"},
	    {NULL, "h", 2, 1, "alternative(html,calendar)"},
	    {"t", "h", 2, 1, "alternative(plain,html,calendar)"},
	    {"t", NAMES, 0, 3, "mixed(alternative(plain,related(html,png),calendar),pdf)"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mail_message message = smallest();
		message.text = cases[i].text;
		message.text_size = cases[i].text ? 1 : 0;
		message.html = cases[i].html;
		message.html_size = cases[i].html ? strlen(cases[i].html) : 0;
		message.attachments = three + cases[i].first;
		message.attachment_count = cases[i].count;
		g_autoptr(GBytes) bytes = mail_message_compose(&message, NULL);
		g_autofree char *got = parsed_structure(bytes);
		cr_expect_str_eq(got, cases[i].want, "got %s, want %s", got, cases[i].want);
	}
}

#define STEM "=_72107cb5a7083976a37503d58f2607a9"

/* A message with every field. */
Test(message, writes_this)
{
	static const char want[] =
	    "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n"
	    "From: Ann <ann@example.com>\r\n"
	    "To: Bob <bob@example.org>, eve@example.org\r\n"
	    "Cc: eve@example.org\r\n"
	    "Reply-To: Bob <bob@example.org>\r\n"
	    "Subject: Hello\r\n"
	    "Message-ID: <1@example.com>\r\n"
	    "X-Campaign: spring\r\n"
	    "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"
	    "MIME-Version: 1.0\r\n"
	    "Content-Type: multipart/mixed; boundary=\"" STEM "_m\"\r\n"
	    "\r\n"
	    "--" STEM "_m\r\n"
	    "Content-Type: multipart/alternative;\r\n"
	    " boundary=\"" STEM "_a\"\r\n"
	    "\r\n"
	    "--" STEM "_a\r\n"
	    "Content-Type: text/plain; charset=utf-8\r\n"
	    "Content-Transfer-Encoding: 7bit\r\n"
	    "\r\n"
	    "Hi\r\n"
	    "--" STEM "_a\r\n"
	    "Content-Type: multipart/related;\r\n"
	    " boundary=\"" STEM "_r\"; type=\"text/html\"\r\n"
	    "\r\n"
	    "--" STEM "_r\r\n"
	    "Content-Type: text/html; charset=utf-8\r\n"
	    "Content-Transfer-Encoding: quoted-printable\r\n"
	    "\r\n"
	    "<p class=3D\"a\">Sch=C3=B6n<img src=3D\"cid:logo@example.com\"></p>\r\n"
	    "\r\n"
	    "--" STEM "_r\r\n"
	    "Content-Type: image/png; name=\"logo.png\"\r\n"
	    "Content-Transfer-Encoding: base64\r\n"
	    "Content-ID: <logo@example.com>\r\n"
	    "Content-Disposition: inline; filename=\"logo.png\"\r\n"
	    "\r\n"
	    "UE5H\r\n"
	    "--" STEM "_r--\r\n"
	    "--" STEM "_a--\r\n"
	    "--" STEM "_m\r\n"
	    "Content-Type: application/pdf;\r\n"
	    " name=\"=?utf-8?b?csOpc3Vtw6kucGRm?=\"\r\n"
	    "Content-Transfer-Encoding: base64\r\n"
	    "Content-Disposition: attachment; filename*=utf-8''r%C3%A9sum%C3%A9.pdf\r\n"
	    "\r\n"
	    "UERG\r\n"
	    "--" STEM "_m\r\n"
	    "Content-Type: text/csv; header=present\r\n"
	    "Content-Transfer-Encoding: base64\r\n"
	    "Content-Disposition: attachment; filename=\"t.csv\"\r\n"
	    "\r\n"
	    "YTtiCg==\r\n"
	    "--" STEM "_m\r\n"
	    "Content-Type: application/octet-stream\r\n"
	    "Content-Transfer-Encoding: base64\r\n"
	    "Content-Disposition: attachment\r\n"
	    "\r\n"
	    "\r\n"
	    "--" STEM "_m--\r\n";
	static const struct mail_header headers[] = {{"X-Campaign", "spring"}};
	static const struct mail_header extra[] = {
	    {"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"}};
	static const struct mail_attachment attachments[] = {
	    {"r\303\251sum\303\251.pdf", "application/pdf", NULL, "PDF", 3, false},
	    {"logo.png", "image/png", "logo", "PNG", 3, false},
	    {"t.csv", "text/csv; header=present", NULL, "a;b\n", 4, false},
	    {NULL, NULL, NULL, NULL, 0, false},
	};
	struct mail_address bob = {(char *)"Bob", (char *)"bob@example.org"};
	struct mail_address eve = {(char *)"", (char *)"eve@example.org"};
	gpointer recipients[] = {&bob, &eve};
	GPtrArray to = {.pdata = recipients, .len = 2};
	GPtrArray cc = {.pdata = recipients + 1, .len = 1};
	GPtrArray reply_to = {.pdata = recipients, .len = 1};
	struct mail_message message = smallest();

	message.to = &to;
	message.cc = &cc;
	message.reply_to = &reply_to;
	message.html = "<p class=\"a\">Sch\303\266n<img src=\"cid:logo\"></p>\n";
	message.html_size = strlen(message.html);
	message.attachments = attachments;
	message.attachment_count = G_N_ELEMENTS(attachments);
	message.headers = headers;
	message.header_count = 1;
	message.extra = extra;
	message.extra_count = 1;
	g_autoptr(GBytes) bytes = mail_message_compose(&message, NULL);
	g_autofree char *got = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	cr_expect_str_eq(got, want, "got\n%s", got);
}

/* The part of an invitation: its type keeps its parameters, and it is no file to be saved. */
Test(message, writes_alternatives)
{
	static const struct {
		struct mail_attachment given;
		const char *want;
	} cases[] = {
	    {{"i.ics", "text/calendar; method=REQUEST", NULL, "x", 1, true},
		"Content-Type: text/calendar; method=REQUEST; charset=utf-8; name=\"i.ics\"\r\n"
		"Content-Transfer-Encoding: base64\r\n\r\neA==\r\n"},
	    {{NULL, "text/calendar; charset=us-ascii; method=CANCEL", NULL, "x", 1, true},
		"Content-Type: text/calendar; charset=us-ascii; method=CANCEL\r\n"
		"Content-Transfer-Encoding: base64\r\n\r\neA==\r\n"},
	    {{"a", "text/calendar; name=b", NULL, "\xff", 1, true},
		"Content-Type: text/calendar; name=b\r\n"
		"Content-Transfer-Encoding: base64\r\n\r\n/w==\r\n"},
	    {{"a", "application/ics", "id", "x", 1, true},
		"Content-Type: application/ics; name=\"a\"\r\n"
		"Content-Transfer-Encoding: base64\r\nContent-ID: <id@example.com>\r\n\r\n"
		"eA==\r\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mail_message message = smallest();
		message.attachments = &cases[i].given;
		message.attachment_count = 1;
		g_autoptr(GBytes) bytes = mail_message_compose(&message, NULL);
		g_autofree char *got =
		    g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
		cr_expect(strstr(got, cases[i].want), "case %zu: got\n%s\nwant\n%s", i, got,
		    cases[i].want);
	}
}

Test(message, ends_in_one_line_break)
{
	static const struct {
		const char *text;
		const char *want;
	} cases[] = {{"", "\r\n\r\n"}, {"a", "\r\n\r\na\r\n"}, {"a\n", "\r\n\r\na\r\n"},
	    {"a\r\n\r\n", "\r\n\r\na\r\n\r\n"}, {"\303\274", "\r\n\r\nw7w=\r\n"}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mail_message message = smallest();
		message.text = cases[i].text;
		message.text_size = strlen(cases[i].text);
		g_autoptr(GBytes) bytes = mail_message_compose(&message, NULL);
		g_autofree char *got =
		    g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
		cr_expect_str_eq(
		    strstr(got, "\r\n\r\n"), cases[i].want, "%s: got %s", cases[i].text, got);
	}
}

Test(message, encodes_attachments_by_their_type, .init = g_mime_init)
{
	static const struct {
		const char *type;
		const char *data;
		const char *want_type;
		const char *want_encoding;
		const char *want_data;
	} cases[] = {
	    {NULL, "a\n", "application/octet-stream", "base64", "a\n"},
	    {"text/plain", "a\rb\nc\r\n", "text/plain", "base64", "a\rb\nc\r\n"},
	    {"text/html; charset=latin1", "\344", "text/html", "base64", "\344"},
	    {"message/rfc822", "A: b\n\nc\n", "message/rfc822", "7bit", "A: b\r\n\r\nc\r\n"},
	    {"Message/Delivery-Status", "A: b\r\n", "Message/Delivery-Status", "7bit", "A: b\r\n"},
	    {"message/rfc822", "A: \344\n\n", "application/octet-stream", "base64", "A: \344\n\n"},
	    {"multipart/mixed; boundary=a", "--a--\n", "application/octet-stream", "base64",
		"--a--\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mail_attachment attachment = {
		    "a", cases[i].type, NULL, cases[i].data, strlen(cases[i].data)};
		struct mail_message message = smallest();
		message.attachments = &attachment;
		message.attachment_count = 1;
		g_autoptr(GBytes) bytes = mail_message_compose(&message, NULL);
		GMimeMessage *parsed = parsed_message(bytes);
		GMimeObject *part = g_mime_multipart_get_part(
		    GMIME_MULTIPART(g_mime_message_get_mime_part(parsed)), 1);
		g_autofree char *type =
		    g_mime_content_type_get_mime_type(g_mime_object_get_content_type(part));
		const char *encoding = g_mime_object_get_header(part, "Content-Transfer-Encoding");
		g_autofree char *got = parsed_content(part, NULL);
		cr_expect_str_eq(type, cases[i].want_type, "case %zu: got %s", i, type);
		cr_expect_str_eq(encoding, cases[i].want_encoding, "case %zu: got %s", i, encoding);
		cr_expect_str_eq(got, cases[i].want_data, "case %zu: got %s", i, got);
		g_object_unref(parsed);
	}
}

/* A message that carries itself must not end at its own boundaries. */
Test(message, holds_what_has_its_boundaries_in_it, .init = g_mime_init)
{
	struct mail_message message = smallest();
	struct mail_attachment attachment = {"a.eml", "message/rfc822", NULL, NULL, 0};

	message.html = "h";
	message.html_size = 1;
	g_autoptr(GBytes) inner = mail_message_compose(&message, NULL);
	attachment.data = message.text = g_bytes_get_data(inner, NULL);
	attachment.size = message.text_size = g_bytes_get_size(inner);
	message.attachments = &attachment;
	message.attachment_count = 1;
	g_autoptr(GBytes) outer = mail_message_compose(&message, NULL);
	g_autofree char *got = parsed_structure(outer);
	cr_expect_str_eq(got, "mixed(alternative(plain,html),octet-stream)", "got %s", got);
}

Test(date, writes_rfc_5322_in_utc)
{
	static const struct {
		gint64 epoch_ms;
		const char *want;
	} cases[] = {
	    {0, "Thu, 01 Jan 1970 00:00:00 +0000"},
	    {999, "Thu, 01 Jan 1970 00:00:00 +0000"},
	    {-1, "Wed, 31 Dec 1969 23:59:59 +0000"},
	    {951782400000, "Tue, 29 Feb 2000 00:00:00 +0000"},
	    {1700000000123, "Tue, 14 Nov 2023 22:13:20 +0000"},
	    {1735516800000, "Mon, 30 Dec 2024 00:00:00 +0000"},
	    {253402300799999, "Fri, 31 Dec 9999 23:59:59 +0000"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = mail_date_format(cases[i].epoch_ms);
		cr_expect_str_eq(got, cases[i].want, "%" G_GINT64_FORMAT ": got %s, want %s",
		    cases[i].epoch_ms, got, cases[i].want);
	}
	cr_expect_null(mail_date_format(253402300800000));
	cr_expect_null(mail_date_format(G_MAXINT64));
	cr_expect_null(mail_date_format(G_MININT64));
}
