/* SPDX-License-Identifier: MIT */
#include "mail/wire.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"

/* A text whose LF become CRLF. The caller owns it. */
static char *
wire_with_crlf(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	return g_strjoinv("\r\n", lines);
}

/* The message with LF as it is sent, with LF; NULL: it is refused, with *error_r. */
static char *
wire_fit(const char *given, bool eight_bit, GError **error_r)
{
	g_autofree char *text = wire_with_crlf(given);
	g_autoptr(GBytes) message = g_bytes_new_static(text, strlen(text));
	g_autoptr(GBytes) fitted = mail_wire_fit(message, eight_bit, error_r);

	if (!fitted)
		return NULL;
	g_autoptr(GBytes) again = mail_wire_fit(fitted, eight_bit, NULL);
	cr_expect(again && g_bytes_equal(again, fitted), "again: %s", given);
	g_autofree char *got = g_strndup(g_bytes_get_data(fitted, NULL), g_bytes_get_size(fitted));
	g_auto(GStrv) lines = g_strsplit(got, "\r\n", -1);
	char *joined = g_strjoinv("\n", lines);
	cr_expect_null(strchr(joined, '\r'));
	return joined;
}

static void
wire_expect_fit(const char *name, const char *given, bool eight_bit, const char *want)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *got = wire_fit(given, eight_bit, &error);

	cr_expect_eq(g_strcmp0(got, want), 0, "%s: got\n%s\nwant\n%s", name,
	    got ? got : error->message, want);
}

#define UTF8 "gr\xc3\xbcn"
#define Q "gr=C3=BCn"
#define MIXED "Content-Type: multipart/mixed; boundary=b\n"

Test(wire, leaves_what_a_relay_can_carry)
{
	static const char *const given[] = {
	    "A: b\n\nx\n",
	    "A: b\n\n" UTF8 "\n\xff\n",
	    MIXED "Content-Transfer-Encoding: 8bit\n\n" UTF8 "\n--b\n\n" UTF8 "\n--b \n"
		  "Content-Transfer-Encoding: 8bit\n\n" UTF8 "\n--b--\n" UTF8 "\n",
	    MIXED "\n--b\nContent-Type: message/rfc822\n\nSubject: " UTF8 "\n\n" UTF8 "\n--b--\n",
	    "Content-Type: multipart/signed; boundary=b\n\n--b\n\n" UTF8 "\n--b\n\nx\n--b--\n",
	    "Content-Type: multipart/mixed\n\n" UTF8 "\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(given); i++)
		wire_expect_fit("8 bit", given[i], true, given[i]);
}

Test(wire, encodes_8_bit_for_a_relay_without_it)
{
	static const struct {
		const char *name, *given, *want;
	} cases[] = {
	    {"7 bit", "A: b\n\n=\x01\n", "A: b\n\n=\x01\n"},
	    {"text", "MIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\n\n\xe4=\n",
		"MIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-1\n"
		"Content-Transfer-Encoding: quoted-printable\n\n=E4=3D\n"},
	    {"no type", "A: b\nMIME-Version: 1.0\n\n" UTF8 "\n",
		"A: b\nMIME-Version: 1.0\nContent-Transfer-Encoding: quoted-printable\n"
		"Content-Type: text/plain; charset=utf-8\n\n" Q "\n"},
	    {"no type, no charset, no version", "A: b\n\n\xe4\n",
		"A: b\nContent-Transfer-Encoding: quoted-printable\nMIME-Version: 1.0\n"
		"Content-Type: text/plain; charset=unknown-8bit\n\n=E4\n"},
	    {"a wrong encoding",
		"Content-Transfer-Encoding: 7bit\nMIME-Version: 1.0\nContent-Type: "
		"text/html\n\n" UTF8 "\n",
		"MIME-Version: 1.0\nContent-Type: text/html\n"
		"Content-Transfer-Encoding: quoted-printable\n\n" Q "\n"},
	    {"bytes", "MIME-Version: 1.0\nContent-Type: image/png\n\n\xff\n",
		"MIME-Version: 1.0\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\n"
		"/w0K\n"},
	    {"quoted-printable",
		"Content-Transfer-Encoding: quoted-printable\n\na=3D" UTF8 "=\n=\n",
		"Content-Transfer-Encoding: quoted-printable\n\na=3D" Q "=\n=\n"},
	    {"base64", "Content-Transfer-Encoding: base64\n\nYQ\xc3\xbc==\n\xff\nYg==\n",
		"Content-Transfer-Encoding: base64\n\nYQ==\nYg==\n"},
	    {"parts",
		MIXED "Content-Transfer-Encoding: 8bit\nMIME-Version: 1.0\n\n" UTF8
		      "\n--b\nContent-Type: text/plain; charset=utf-8\n"
		      "Content-Transfer-Encoding: 8bit\n\n" UTF8 "\n\n--b\nA: b\n\nx\n--b\n"
		      "Content-Type: a/b\n\n" UTF8 "\n--b--\n\xff\n",
		MIXED
		"MIME-Version: 1.0\nContent-Transfer-Encoding: 7bit\n\ngr??n\n--b\n"
		"Content-Type: text/plain; charset=utf-8\n"
		"Content-Transfer-Encoding: quoted-printable\n\n" Q "\n\n--b\nA: b\n\nx\n--b\n"
		"Content-Type: a/b\nContent-Transfer-Encoding: base64\n\nZ3LDvG4=\n--b--\n?\n"},
	    {"nested, cut off",
		MIXED "\n--b\nContent-Type: multipart/alternative; boundary=b2\n\n--b2\n\n" UTF8
		      "\n--b\n\n" UTF8 "\n",
		MIXED "\n--b\nContent-Type: multipart/alternative; boundary=b2\n\n--b2\n"
		      "Content-Transfer-Encoding: quoted-printable\n"
		      "Content-Type: text/plain; charset=utf-8\n\n" Q "\n--b\n"
		      "Content-Transfer-Encoding: quoted-printable\n"
		      "Content-Type: text/plain; charset=utf-8\n\n" Q "\n"},
	    {"a message",
		MIXED "\n--b\nContent-Type: message/rfc822\nContent-Transfer-Encoding: 8bit\n\n"
		      "Subject: " UTF8 "\nMIME-Version: 1.0\nContent-Type: text/plain\n\n" UTF8
		      "\n--b--\n",
		MIXED "\n--b\nContent-Type: message/rfc822\nContent-Transfer-Encoding: 7bit\n\n"
		      "Subject: =?utf-8?b?Z3LDvG4=?=\nMIME-Version: 1.0\n"
		      "Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n" Q
		      "\n--b--\n"},
	    {"a digest",
		"Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: " UTF8
		"\n\nx\n--b--\n",
		"Content-Type: multipart/digest; boundary=b\n\n--b\n\n"
		"Subject: =?utf-8?b?Z3LDvG4=?=\n\nx\n--b--\n"},
	    {"a signature",
		"Content-Type: multipart/signed; boundary=b\n\n--b\nA: b\n\nx\n--b\n"
		"Content-Type: text/plain\n\n" UTF8 "\n--b--\n",
		"Content-Type: multipart/signed; boundary=b\n\n--b\nA: b\n\nx\n--b\n"
		"Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n" Q
		"\n--b--\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		wire_expect_fit(cases[i].name, cases[i].given, false, cases[i].want);
}

Test(wire, refuses_what_must_not_be_changed)
{
	static const struct {
		const char *name, *given, *want;
	} cases[] = {
	    {"signed",
		"Content-Type: multipart/signed; boundary=b\n\n--b\n\n" UTF8 "\n--b\n\nx\n--b--\n",
		"signed part"},
	    {"a multipart without boundary", "Content-Type: multipart/mixed\n\n" UTF8 "\n",
		"type multipart/mixed"},
	    {"a report", "Content-Type: message/delivery-status\n\n" UTF8 "\n",
		"type message/delivery-status"},
	    {"uuencode", "Content-Transfer-Encoding: x-uuencode\n\n" UTF8 "\n",
		"cannot be encoded"},
	    {"a boundary", "Content-Type: multipart/mixed; boundary=\"" UTF8 "\"\n\n" UTF8 "\n",
		"boundary"},
	    {"no field", MIXED "\n--b\n" UTF8 "\n\nx\n--b--\n", "is none"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *got = wire_fit(cases[i].given, false, &error);

		cr_expect_null(got, "%s: %s", cases[i].name, got);
		cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID));
		cr_expect(
		    strstr(error->message, cases[i].want), "%s: %s", cases[i].name, error->message);
	}
}

Test(wire, writes_fields_in_ascii)
{
	static const struct {
		const char *given, *want; /* NULL: refused */
	} cases[] = {
	    {"Subject: " UTF8 " x\n\ty", "Subject: =?utf-8?b?Z3LDvG4geCB5?="},
	    {"Subject: =?iso-8859-1?q?=E4?= \xc3\xa4", "Subject: =?utf-8?b?w6Qgw6Q=?="},
	    {"X-A: \xe4", "X-A: =?utf-8?b?w6Q=?="},
	    {"X-A: \x81", "X-A: =?utf-8?b?woE=?="},
	    {"To: J\xc3\xb6rg <j@x.org>, Ann <a@x.org>",
		"To: =?utf-8?q?J=C3=B6rg?= <j@x.org>, Ann <a@x.org>"},
	    {"To: \"M\xc3\xb6ller, \\\"J\\\"\" M <j@x.org>,a@x.org",
		"To: =?utf-8?q?M=C3=B6ller=2C_=22J=22_M?= <j@x.org>,a@x.org"},
	    {"From: a@b\xc3\xbc"
	     "cher.de (J\xc3\xb6rg)",
		"From: a@xn--bcher-kva.de (=?utf-8?q?J=C3=B6rg?=)"},
	    {"Cc: <a@b\xc3\xbc"
	     "cher.de>",
		"Cc: <a@xn--bcher-kva.de>"},
	    {"Cc: gr\xc3\xbcne: a@x.org, b@x.org;",
		"Cc: =?utf-8?q?gr=C3=BCne?= : a@x.org, b@x.org;"},
	    {"Cc: j\xc3\xb6rg@x.org", NULL},
	    {"Cc: J <j\xc3\xb6rg@x.org>", NULL},
	    {"Message-ID: <\xc3\xb6@x.org>", NULL},
	    {"Date: \xc3\xb6", NULL},
	    {"Received: from x (gr\xc3\xbcn [::1]) by y; Sun",
		"Received: from x (=?utf-8?q?gr=C3=BCn_=5B=3A=3A1=5D?=) by y; Sun"},
	    {"List-Id: gr\xc3\xbcne Liste <l.x.org>",
		"List-Id: =?utf-8?q?gr=C3=BCne_Liste?= <l.x.org>"},
	    {"List-Unsubscribe: <https://b\xc3\xbc"
	     "cher.de/\xc3\xbc?a=\xc3\xbc>, <mailto:a@x.org>",
		"List-Unsubscribe: <https://xn--bcher-kva.de/%C3%BC?a=%C3%BC>, <mailto:a@x.org>"},
	    {"List-Unsubscribe: gr\xc3\xbcn@x.org", NULL},
	    {"Content-Type: text/plain; name=\"gr\xc3\xbcn.txt\"; charset=utf-8",
		"Content-Type: text/plain;\n name=\"=?utf-8?b?Z3LDvG4udHh0?=\"; "
		"charset=\"utf-8\""},
	    {"Content-Disposition: attachment; filename=gr\xfcn.txt",
		"Content-Disposition: attachment; filename*=utf-8''gr%C3%BCn.txt"},
	    {"Content-Disposition: attachment; x=\xc3\xbc;\n filename=\"=?utf-8?b?YQ==?=\n "
	     "=?utf-8?b?Yi50eHQ=?=\"",
		"Content-Disposition: attachment; x*=utf-8''%C3%BC; filename=\"ab.txt\""},
	    {"Content-Disposition: attachment; x=\xc3\xbc;\n filename*0=\"=?utf-8?B?YW\"; "
	     "filename*1=\"Jj?=\"",
		"Content-Disposition: attachment; x*=utf-8''%C3%BC;\n "
		"filename*=utf-8''%3D%3Futf-8%3FB%3FYWJj%3F%3D"},
	    {"Subject: \xc3\xbc =?utf-8?b?YQ==?=\n =?utf-8?b?YmM=?=",
		"Subject: =?utf-8?b?w7wgYWJj?="},
	    {"Content-ID: <gr\xc3\xbcn>", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *given = g_strdup_printf("%s\nA: b\n\nx\n", cases[i].given);
		g_autofree char *want =
		    cases[i].want ? g_strdup_printf("%s\nA: b\n\nx\n", cases[i].want) : NULL;
		g_autoptr(GError) error = NULL;
		g_autofree char *got = wire_fit(given, true, &error);

		cr_expect_eq(
		    g_strcmp0(got, want), 0, "got %s, want %s", got ? got : error->message, want);
	}
}

/* A text of this many letters. */
#define LONG(count) g_strnfill(count, 'x')

Test(wire, breaks_lines_that_are_too_long)
{
	g_autofree char *most = LONG(998), *more = LONG(999), *words = LONG(1200);
	g_autofree char *tail = g_strdup_printf("%.75s--b", more);
	g_autofree char *base64 = LONG(1000);

	for (gsize i = 10; i < 1200; i += 10)
		words[i] = ' ';
	const struct {
		const char *name;
		char *given;
		const char *want; /* begins so; NULL: stays as it is */
		const char *lacks;
	} cases[] = {
	    {"most", g_strdup_printf("MIME-Version: 1.0\nX-%.995s:\nA: b\n\n%s\n", more, most),
		NULL, NULL},
	    {"text", g_strdup_printf("MIME-Version: 1.0\nA: b\n\n%s\n", more),
		"MIME-Version: 1.0\nA: b\nContent-Transfer-Encoding: quoted-printable\n\nxx", NULL},
	    {"what looks like a delimiter",
		g_strdup_printf(
		    MIXED "\n--b\nContent-Type: text/plain\n\n%s\n%s\n--b--\n", more, tail),
		MIXED "\n--b\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\neHh4",
		NULL},
	    {"quoted-printable",
		g_strdup_printf("Content-Transfer-Encoding: quoted-printable\n\n%s\na \n", more),
		"Content-Transfer-Encoding: quoted-printable\n\nxx", NULL},
	    {"base64", g_strdup_printf("Content-Transfer-Encoding: base64\n\n%s\nYQ==\n", base64),
		"Content-Transfer-Encoding: base64\n\nxx", NULL},
	    {"preamble", g_strdup_printf(MIXED "\n%s\n--b\n\nx\n--b--\n", more), MIXED "\nxx",
		NULL},
	    {"a delimiter", g_strdup_printf(MIXED "\n--b%*s\n\nx\n--b--\n", 2000, ""),
		MIXED "\n--b  ", NULL},
	    {"a subject", g_strdup_printf("Subject: %s\n\nx\n", more), "Subject: =?utf-8?q?xx",
		NULL},
	    {"words", g_strdup_printf("Subject: %s\n\nx\n", words), "Subject: xxxxxxxxxx xxx",
		"=?"},
	    {"addresses", g_strdup_printf("To: %s <a@x.org>\n\nx\n", words), "To: xxxxxxxxxx xxx",
		"=?"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *got = wire_fit(cases[i].given, true, &error);

		cr_assert(got, "%s: %s", cases[i].name, error ? error->message : "");
		if (cases[i].want)
			cr_expect(
			    g_str_has_prefix(got, cases[i].want), "%s: got %s", cases[i].name, got);
		else
			cr_expect_str_eq(got, cases[i].given, "%s: got %s", cases[i].name, got);
		cr_expect(!cases[i].lacks || !strstr(got, cases[i].lacks), "%s: got %s",
		    cases[i].name, got);
		g_auto(GStrv) lines = g_strsplit(got, "\n", -1);
		for (char **line = lines; *line; line++)
			cr_expect_leq(strlen(*line), 998, "%s: %s", cases[i].name, *line);
		g_free(cases[i].given);
	}
}

/* Addresses without blanks, and ids one behind the other, are folded where nothing changes. */
Test(wire, folds_lists_without_blanks)
{
	static const struct {
		const char *name, *item, *between;
	} cases[] = {{"To", "someone@x.example", ","}, {"References", "<some.id@x.example>", ""}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) given = g_string_new(NULL);
		g_autoptr(GError) error = NULL;

		for (guint n = 0; n < 90; n++)
			g_string_append_printf(
			    given, "%s%s", n ? cases[i].between : "", cases[i].item);
		g_autofree char *field =
		    g_strdup_printf("%s: %s\n\nx\n", cases[i].name, given->str);
		g_autofree char *text = wire_fit(field, true, &error);
		cr_assert(text, "%s", error ? error->message : "");
		g_autoptr(GString) got = g_string_new(text);
		cr_expect(g_string_replace(got, "\n ", "", 0) > 15);
		cr_expect_str_eq(got->str, field);
	}
}

/* With AddressSanitizer the time does grow so: minutes for the longer one. The other builds judge.
 */
#ifdef __SANITIZE_ADDRESS__
#define LONG_BYTES 30000
#else
#define LONG_BYTES 300000
#endif

/* Hostile messages take no time that grows with the square of their size. */
Test(wire, is_linear, .timeout = 900)
{
	static const struct {
		const char *head, *item, *tail;
	} cases[] = {
	    {"To: \xe4", " a", "\n\nx\n"},
	    {"To: \xe4", "(", "\n\nx\n"},
	    {"To: \xe4", "<", "\n\nx\n"},
	    {"To: \xe4", "a:", "\n\nx\n"},
	    {"To: \xe4", "\"", "\n\nx\n"},
	    {"Subject: ", "\xc3\xa4", "\n\nx\n"},
	    {"Subject: ", "=?utf-8?q?\xc3\xa4?= ", "\n\nx\n"},
	    {"Content-Type: text/plain", "; a=\xe4", "\n\nx\n"},
	    {MIXED "\n", "--b\n", "\xff\n--b--\n"},
	    {MIXED "\n", "--b\n\n\xff\n", "--b--\n"},
	    {"Content-Transfer-Encoding: quoted-printable\n\n", "\xff", "\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new(cases[i].head);
		g_autoptr(GError) error = NULL;
		gsize want = LONG_BYTES + text->len;

		while (text->len < want)
			g_string_append(text, cases[i].item);
		g_string_append(text, cases[i].tail);
		g_autofree char *got = wire_fit(text->str, false, &error);
		cr_expect(got || error);
	}
}
