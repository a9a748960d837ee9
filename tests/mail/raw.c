/* SPDX-License-Identifier: MIT */
#include "mail/raw.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/report.h"

#define BYTES(text) text, sizeof(text) - 1

static struct mail_raw *
raw_read_text(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct mail_raw *raw = mail_raw_read(text, strlen(text), &error);

	cr_assert(raw, "%s: %s", text, error ? error->message : "");
	return raw;
}

Test(raw, stays_as_it_is_but_for_line_ends_and_some_fields)
{
	static const struct {
		const char *name, *given, *added;
		bool from_is_added;
		const char *want;
	} cases[] = {
	    {"LF", "A: b\nC: d\n\nx\n\ny\n", "", false, "A: b\r\nC: d\r\n\r\nx\r\n\r\ny\r\n"},
	    {"CRLF", "A: b\r\n\r\nx\r\n", "", false, "A: b\r\n\r\nx\r\n"},
	    {"both, and doubled CR", "A: b\r\r\n\nx\r\r\ny\n", "", false, "A: b\r\n\r\nx\r\ny\r\n"},
	    {"CR alone", "A: b\n\nx\ry\n", "", false, "A: b\r\n\r\nx\r\ny\r\n"},
	    {"no last line end", "A: b\n\nx", "", false, "A: b\r\n\r\nx\r\n"},
	    {"no body", "A: b", "", false, "A: b\r\n\r\n"},
	    {"folds, order, blanks", "b:  x\n\ty \nA:\nb: z\n\n \n", "", false,
		"b:  x\r\n\ty \r\nA:\r\nb: z\r\n\r\n \r\n"},
	    {"8 bit", "A: \xe4\n\n\xff\x80\n", "", false, "A: \xe4\r\n\r\n\xff\x80\r\n"},
	    {"mbox", "From a@x.org Sun Nov 22\nA: b\n\nFrom c\n", "", false,
		"A: b\r\n\r\nFrom c\r\n"},
	    {"no empty line", "A: b\nhello\nB: c\n", "", false, "A: b\r\n\r\nhello\r\nB: c\r\n"},
	    {"blanks before the colon", "To : b\nA \t: b\n\n", "", false, "To: b\r\nA: b\r\n\r\n"},
	    {"lines of blanks", "A: b\n \n\tc\nB:\n \t\n\t\nTo: d\n \nto: e,\n \n f\n\n \n", "",
		false, "A: b\r\n\tc\r\nB:\r\nTo: d,\r\n\te,\r\n f\r\n\r\n \r\n"},
	    {"a first line of blanks", "A: \n b\n\n", "", false, "A: \r\n b\r\n\r\n"},
	    {"secrets", "BCC: a\n b\nA: b\nbcc: c\nReturn-path: <x>\nDKIM-Signature: v=1;\n b=\n\n",
		"", false, "A: b\r\n\r\n"},
	    {"added", "A: b\n\nx\n", "B: c\r\n", false, "A: b\r\nB: c\r\n\r\nx\r\n"},
	    {"another From", "From: root\nA: b\n\n", "From: a@x.org\r\n", true,
		"A: b\r\nFrom: a@x.org\r\n\r\n"},
	    {"doubled", "To: a\nDate: 1\nto: b,\n c\nDATE: 2\nTo:\n\n", "", false,
		"To: a,\r\n\tb,\r\n c\r\nDate: 1\r\n\r\n"},
	    {"doubled, of other fields",
		"Subject: a\nSUBJECT: b\nIn-Reply-To: <a@x>\nIn-Reply-To: <b@x>\n"
		"References: <a@x>\nReferences: <b@x>\nMIME-Version: 1.0\nMime-Version: 1.0\n"
		"Content-Type: text/plain\nContent-Type: text/html\n"
		"Content-Transfer-Encoding: 7bit\nContent-transfer-encoding: 8bit\n"
		"Content-ID: <a@x>\nContent-ID: <b@x>\nList-Id: <a.x>\nList-ID: <b.x>\n"
		"Received: a\nReceived: b\nX-A: a\nX-A: b\nComments: a\nComments: b\n\n",
		"", false,
		"Subject: a\r\nIn-Reply-To: <a@x>\r\nReferences: <a@x>\r\n"
		"MIME-Version: 1.0\r\nContent-Type: text/plain\r\n"
		"Content-Transfer-Encoding: 7bit\r\nContent-ID: <a@x>\r\nList-Id: <a.x>\r\n"
		"Received: a\r\nReceived: b\r\nX-A: a\r\nX-A: b\r\n"
		"Comments: a\r\nComments: b\r\n\r\n"},
	    {"doubled, empty at first", "To:\nTo: b\n\n", "", false, "To:\r\n\tb\r\n\r\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(mail_raw) raw = raw_read_text(cases[i].given);
		g_autoptr(GBytes) got =
		    mail_raw_compose(raw, cases[i].added, cases[i].from_is_added);
		g_autofree char *text =
		    g_strndup(g_bytes_get_data(got, NULL), g_bytes_get_size(got));

		cr_expect_str_eq(text, cases[i].want, "%s: got\n%s", cases[i].name, text);
	}
}

Test(raw, is_refused_without_a_header_and_with_nul)
{
	static const struct {
		const char *name, *given;
		gsize size;
		const char *want;
	} cases[] = {
	    {"nothing", BYTES(""), "no header"},
	    {"no header", BYTES("Hello!\nA: b\n"), "no header"},
	    {"an empty line first", BYTES("\nA: b\n"), "no header"},
	    {"a fold first", BYTES(" A: b\n"), "no header"},
	    {"a colon first", BYTES(": b\n"), "no header"},
	    {"mbox alone", BYTES("From a@x.org\n"), "no header"},
	    {"NUL", BYTES("A: b\n\n\0\n"), "NUL"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect_null(
		    mail_raw_read(cases[i].given, cases[i].size, &error), "%s", cases[i].name);
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID));
		cr_expect(
		    strstr(error->message, cases[i].want), "%s: %s", cases[i].name, error->message);
	}
}

Test(raw, has_lists_of_addresses)
{
	static const struct {
		const char *given, *want; /* NULL: no such field */
	} cases[] = {
	    {"A: b\n", NULL},
	    {"To:\n", ""},
	    {"To: a@x.org,\n\tB <b@x.org>\nTO: c@x.org\n", "a@x.org, B <b@x.org>, c@x.org"},
	    {"To: undisclosed-recipients:;\n", ","},
	    {"To: a@x.org, staff: b@x.org, c@x.org; , d@x.org\n",
		"a@x.org, b@x.org, c@x.org, , d@x.org"},
	    {"To: \"a: b; c\" <a@x.org>, b@x.org (x: (y;) \\) z)\n",
		"\"a: b; c\" <a@x.org>, b@x.org (x: (y;) \\) z)"},
	    {"To: \"a@x.org\n", "\"a@x.org"},
	    {"To: \xe4@x.org\n", "\xc3\xa4@x.org"},
	    {"To: \xd0 <a@x.org>\nContent-Type: text/plain; charset=koi8-r\n",
		"\xd0\xbf <a@x.org>"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(mail_raw) raw = raw_read_text(cases[i].given);
		g_autofree char *got = mail_raw_list(raw, "To");

		cr_expect_str_eq(got ? got : "-", cases[i].want ? cases[i].want : "-", "%s: got %s",
		    cases[i].given, got);
		cr_expect_eq(mail_raw_has(raw, "to"), cases[i].want != NULL);
	}
}

Test(raw, shows_its_subject)
{
	g_autofree char *word = g_strnfill(LIMIT_FIELD_BYTES, 'x');
	g_autofree char *long_one = g_strdup_printf("Subject:%sy\n", word);
	const struct {
		const char *given, *want;
	} cases[] = {
	    {"A: b\n", ""},
	    {"Subject: a\n\tb  \nSubject: c\n", "a b"},
	    {"subject: =?utf-8?q?gr=C3=BCn?= =?iso-8859-1?b?5A==?=\n", "gr\xc3\xbcn\xc3\xa4"},
	    {"Subject: =?utf-8?q?a=0Ab?=\n", "a b"},
	    /* An encoded word must be ASCII (RFC 2047 section 2). */
	    {"Subject: =?utf-8?q?Gr\xc3\xbc\xc3\x9f=65?= =?utf-8?q?_x?= y\n", "Gr\xc3\xbc\xc3\x9f"
									      "e x y"},
	    {"Subject: =?iso-8859-1?q?Gr\xfc\xdf"
	     "e_=E4?=\n",
		"Gr\xc3\xbc\xc3\x9f"
		"e \xc3\xa4"},
	    {"Subject: a =?us-ascii?q?J\xc3\xb6rg?=\n", "a J\xc3\xb6rg"},
	    {"Subject: =?utf-8?b?\xc3\xbc?=\n", "\xc3\xbc"},
	    {"Subject: =?utf-8?B?R3LD\xc3\xbcZQ==?= =?x\n", "Gr?\xc3\xbc"
							    "e =?x"},
	    {"Subject: =?utf-8?q?\xf0\x9f\x8e\x89?==?utf-8?q?=21?=\n", "\xf0\x9f\x8e\x89!"},
	    {"Subject: \xc3\xbc=?utf-8?q?=C3=BC?=\xc3\xbc\n", "\xc3\xbc\xc3\xbc\xc3\xbc"},
	    {"Subject: =?utf-8?q?\xc3\xbc\n", "=?utf-8?q?\xc3\xbc"},
	    {"Subject: =?utf-8?q?a?= =?utf-8?q?=\xc3\xbc?=\n", "a=\xc3\xbc"},
	    /* Each word has its own padding, and a letter may be in two of them. */
	    {"Subject: =?utf-8?b?YQ==?=\n =?utf-8?B?YmM=?= =?utf-8?b?w7w?= =?utf-8?q?d?=\n",
		"abc\xc3\xbc"
		"d"},
	    {"Subject: =?utf-8?b?w7w=?= =?iso-8859-1?b?5A==?= =?utf-8?b?w5Y=?=\n",
		"\xc3\xbc\xc3\xa4\xc3\x96"},
	    {"Subject: =?utf-8?b?YcM=?= =?utf-8?b?vGI=?= c\n", "a\xc3\xbc"
							       "b c"},
	    {"Subject: =?utf-8?b?YQ==YmM=?=\n", "abc"},
	    {"Subject: =?iso-2022-jp?b?GyRCRnwbKEI=?= =?iso-2022-jp?b?GyRCS1wbKEI=?=\n",
		"\xe6\x97\xa5\xe6\x9c\xac"},
	    {"Subject: =?x-none?b?YQ==?= =?b?=\n", "a =?b?="},
	    {"Subject: =??b?YWJj?= =?*en?b?YWJj?= =??q?\xc3\xbc?=\n",
		"=??b?YWJj?= =?*en?b?YWJj?= =??q?\xc3\xbc?="},
	    /* Programs cut base64 over words at any letter. */
	    {"Subject: =?utf-8?b?w7?= =?utf-8?b?w=?=\n", "\xc3\xbc"},
	    {"Subject: =?iso-8859-1?B?R?= =?ISO-8859-1*de?b?3L832UgYXVzIE?=\n"
	     " =?iso-8859-1?B?v2bG4=?= =?iso-8859-1?b?IQ==?=\n",
		"Gr\xc3\xbc\xc3\x9f"
		"e aus K\xc3\xb6ln!"},
	    {"Subject: =?utf-8?b?YWI?= =?iso-8859-1?b?5A?= x =?iso-8859-1?b?5A?=\n",
		"ab\xc3\xa4 x \xc3\xa4"},
	    /* Readers take one charset for another. */
	    {"Subject: =?iso-8859-1*en?q?=93a=94?= =?ISO-8859-1?q?=80?=\n",
		"\xe2\x80\x9c"
		"a\xe2\x80\x9d\xe2\x82\xac"},
	    {"Subject: \xe9t\xe9 \x80\n", "\xc3\xa9t\xc3\xa9 \xe2\x82\xac"},
	    {"Subject: \xd0\xd2\nContent-Type: text/plain;\n charset=\"KOI8-R\"\n",
		"\xd0\xbf\xd1\x80"},
	    {"Subject: \xd0\xd2\nContent-Type: text/plain; charset=no-such\n", "\xc3\x90\xc3\x92"},
	    {long_one, word},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(mail_raw) raw = raw_read_text(cases[i].given);
		g_autofree char *got = mail_raw_subject(raw);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].given, got);
	}
}

#define PART(type, more, body) "--b\nContent-Type: " type "\n" more "\n" body "\n"
#define MULTI "Content-Type: multipart/mixed; boundary=b\n\n"

Test(raw, shows_html_and_text)
{
	static const struct {
		const char *name, *given, *html, *text;
	} cases[] = {
	    {"text", "A: b\n\nx\ny\n", NULL, "x\ny\n"},
	    {"nothing", "A: b\n", NULL, ""},
	    {"html", "Content-Type: text/html\n\n<p>x\n", "<p>x\n", NULL},
	    {"another type", "Content-Type: image/png\n\nx\n", NULL, NULL},
	    {"both", MULTI PART("text/plain", "", "x") PART("text/html", "", "<p>") "--b--\n",
		"<p>", "x"},
	    {"the first of each",
		MULTI PART("text/plain", "", "x") PART("text/plain", "", "y") "--b--\n", NULL, "x"},
	    {"an attachment",
		MULTI PART("text/plain", "Content-Disposition: attachment; filename=a\n", "x")
		    PART("text/plain", "Content-Disposition: inline\n", "y") "--b--\n",
		NULL, "y"},
	    {"encoded",
		"Content-Type: text/plain; charset=iso-8859-1\n"
		"Content-Transfer-Encoding: quoted-printable\n\n=E4=\n=0D=0Ab\n",
		NULL, "\xc3\xa4\nb\n"},
	    {"8 bit of no charset", "A: b\n\n\xe4\n", NULL, "\xc3\xa4\n"},
	    {"letters that programs write as Shift_JIS",
		"Content-Type: text/plain; charset=shift_jis\n\n\x93\xfa\x96\x7b\x87\x40\n", NULL,
		"日本①\n"},
	    {"8 bit that UTF-8 does not have", "Content-Type: text/plain; charset=utf-8\n\n\xe4\n",
		NULL, "\xef\xbf\xbd\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(mail_raw) raw = raw_read_text(cases[i].given);
		g_autofree char *html = NULL, *text = NULL;

		mail_raw_bodies(raw, &html, &text);
		cr_expect_eq(g_strcmp0(html, cases[i].html), 0, "%s: html %s", cases[i].name, html);
		cr_expect_eq(g_strcmp0(text, cases[i].text), 0, "%s: text %s", cases[i].name, text);
	}
}

/* A header of many fields and a value of many quotes take no time that grows with their square. */
Test(raw, is_read_in_linear_time, .timeout = 900)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < 500000; i++)
		g_string_append(text, "To: \"(\n");
	AUTO(mail_raw) raw = raw_read_text(text->str);
	g_autoptr(GBytes) got = mail_raw_compose(raw, "", false);
	g_autofree char *list = mail_raw_list(raw, "To");
	cr_expect(g_bytes_get_size(got) > 500000 * 4);
	cr_expect(strlen(list) > 500000 * 2);
}
