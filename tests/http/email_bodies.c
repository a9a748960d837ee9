/* SPDX-License-Identifier: MIT */
/* Bodies arrive in the message as they were given. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/arrival.h"
#include "tests/http/email.h"

FIXTURE_SUITE(email_bodies, 900);

/* text and html are the same; want is what arrives, whose lines end in CR LF. */
static const struct {
	const char *name, *body, *want; /* want NULL: as given */
} cases[] = {
    {"one line", "Hello", NULL},
    {"lines", "a\\r\\nb\\r\\n", "a\r\nb\r\n"},
    {"LF alone", "a\\nb\\n", "a\r\nb\r\n"},
    {"dots", ".\\n..\\n.a\\n\\n.\\n", ".\r\n..\r\n.a\r\n\r\n.\r\n"},
    {"the end of a message", "a\\r\\n.\\r\\nMAIL FROM:<x@example.org>\\r\\n",
	"a\r\n.\r\nMAIL FROM:<x@example.org>\r\n"},
    {"From at the beginning of a line", "From a\\nFrom b", "From a\r\nFrom b"},
    {"spaces at the end of a line", "a  \\nb\\t\\n", "a  \r\nb\t\r\n"},
    {"looks like a boundary", "--=_a\\n--\\n----", "--=_a\r\n--\r\n----"},
    {"looks like an encoding", "=41=20=\\n=?utf-8?q?a?=", "=41=20=\r\n=?utf-8?q?a?="},
    {"other scripts", "\u00e9\u5c71\U0001f600", NULL},
    {"empty lines first", "\\n\\na", "\r\n\r\na"},
    {"looks like a header", "Subject: x\\n\\nbody", "Subject: x\r\n\r\nbody"},
    {"control characters", "a\\u0001\\u001b\\u007fb",
	"a\x01\x1b\x7f"
	"b"},
    {"byte order mark", "\\ufeffa",
	"\xef\xbb\xbf"
	"a"},
};

static void
email_bodies_judge(gsize i, const char *what, const char *got)
{
	g_autofree char *given = exchange_quoted(cases[i].body);
	const char *want = cases[i].want ? cases[i].want : given;

	cr_expect_str_eq(
	    got, want, "%s, %s: got \"%s\", want \"%s\"", cases[i].name, what, got, want);
}

Test(email_bodies, arrive_as_they_were)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change =
		    g_strdup_printf("'text':'%s','html':'%s'", cases[i].body, cases[i].body);
		g_autofree char *id = email_send(fixture, change);
		AUTO(arrival) arrival = arrival_wait(fixture, id);
		g_autofree char *text = arrival_content(arrival, 0, NULL);
		g_autofree char *html = arrival_content(arrival, 1, NULL);
		email_bodies_judge(i, "text", text);
		email_bodies_judge(i, "html", html);
	}
}

/* A message ends with a line break, so the last line of its only part has one. */
Test(email_bodies, of_text_alone_are_one_part)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change =
		    g_strdup_printf("'text':'%s\\n','html':null", cases[i].body);
		g_autofree char *id = email_send(fixture, change);
		AUTO(arrival) arrival = arrival_wait(fixture, id);
		g_autofree char *text = arrival_content(arrival, 0, NULL);
		gsize length = strlen(text);

		cr_assert(g_str_has_suffix(text, "\r\n"), "%s", cases[i].name);
		text[length - 2] = '\0';
		email_bodies_judge(i, "text alone", text);
		cr_expect_eq(arrival->leaves->len, 1, "%s", cases[i].name);
		cr_expect(
		    arrival_has_line(arrival, "Content-Type: text/plain"), "%s", cases[i].name);
	}
}

/* No line of a message may have more than 998 bytes, however long those of the body are. */
Test(email_bodies, arrive_in_lines_of_bounded_length)
{
	g_autofree char *line = g_strnfill(100000, 'x');
	g_autofree char *change = g_strdup_printf("'text':'%s','html':'%s'", line, line);
	g_autofree char *id = email_send(fixture, change);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *text = arrival_content(arrival, 0, NULL);
	g_autofree char *html = arrival_content(arrival, 1, NULL);
	gsize size;
	const char *at = g_bytes_get_data(arrival->bytes, &size), *end = at + size;

	cr_expect_str_eq(text, line);
	cr_expect_str_eq(html, line);
	while (at < end) {
		const char *stop = memchr(at, '\n', (gsize)(end - at));
		cr_assert(stop && stop > at && stop[-1] == '\r', "a line does not end in CR LF");
		cr_expect_leq(stop - at, 999, "a line of %td bytes", stop - at);
		at = stop + 1;
	}
}

Test(email_bodies, have_headers)
{
	static const char *const names[] = {"From: ", "To: ", "Subject: ", "Date: ", "Message-ID: ",
	    "MIME-Version: ", "Content-Type: ", "DKIM-Signature: "};
	g_autofree char *id = email_send(fixture, NULL);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *message_id = g_strdup_printf("%s@" FIXTURE_DOMAIN, id);

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		cr_expect(arrival_has_line(arrival, names[i]), "no %s", names[i]);
	cr_expect_str_eq(g_mime_message_get_message_id(arrival->message), message_id, "got %s",
	    g_mime_message_get_message_id(arrival->message));
	cr_expect(arrival_has_line(arrival, "Subject: S\r"));
}
