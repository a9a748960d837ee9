/* SPDX-License-Identifier: MIT */
#include "mail/part.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/report.h"

Test(part, splits_header_and_body)
{
	static const struct {
		const char *name, *text, *want_header, *want_body;
	} cases[] = {
	    {"both", "A: b\nC: d\n\nbody\n", "A: b\nC: d\n", "body\n"},
	    {"no body", "A: b\n", "A: b\n", ""},
	    {"no header", "\nbody", "", "body"},
	    {"nothing", "", "", ""},
	    {"the line of an mbox", "From joe Fri\nA: b\n\nx", "From joe Fri\nA: b\n", "x"},
	    {"further empty lines", "A: b\n\n\nx", "A: b\n", "\nx"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mail_part part = mail_part_split(cases[i].text, strlen(cases[i].text));
		g_autofree char *header = g_strndup(part.header.text, part.header.size);
		g_autofree char *body = g_strndup(part.body.text, part.body.size);

		cr_expect_str_eq(header, cases[i].want_header, "%s: %s", cases[i].name, header);
		cr_expect_str_eq(body, cases[i].want_body, "%s: %s", cases[i].name, body);
	}
}

Test(part, finds_fields)
{
	static const char text[] = "From me\nsubject :  a b \nFolded: one\n\ttwo\n  three\n"
				   "no field\n: nameless\nSubject: second\nEmpty:\nBad: \xff\n";
	static const struct {
		const char *name, *want;
	} cases[] = {
	    {"Subject", "a b"},
	    {"folded", "one\ttwo  three"},
	    {"Empty", ""},
	    {"Bad", "\xef\xbf\xbd"},
	    {"From", NULL},
	    {"no field", NULL},
	    {"", NULL},
	    {"Sub", NULL},
	};
	struct mail_slice header = {text, strlen(text)};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = mail_part_field(&header, cases[i].name);

		cr_expect_eq(g_strcmp0(got, cases[i].want), 0, "%s: got %s want %s", cases[i].name,
		    got ? got : "none", cases[i].want ? cases[i].want : "none");
	}
}

Test(part, cuts_fields)
{
	for (gsize size = LIMIT_FIELD_BYTES - 1; size <= LIMIT_FIELD_BYTES + 1; size++) {
		g_autofree char *value = g_strnfill(size, 'x');
		g_autofree char *text = g_strconcat("A:", value, "\n", NULL);
		struct mail_slice header = {text, strlen(text)};
		g_autofree char *got = mail_part_field(&header, "A");

		cr_expect_eq(
		    strlen(got), MIN(size, LIMIT_FIELD_BYTES), "%zu: got %zu", size, strlen(got));
	}
}

static void
part_print(const struct mail_part *part, const char *type, void *context)
{
	g_autofree char *text = mail_part_decode_text(part);

	g_string_append_printf(context, "%s[%s]", type, text);
}

Test(part, walks_through_the_parts)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
	    {"no multipart", "\nx\n", "text/plain[x\n]"},
	    {"two",
		"Content-Type: multipart/mixed; boundary=a\n\npre\n--a\n\nx\n--a\n"
		"Content-Type: TEXT/Html\n\ny\n--a--\npost\n",
		"text/plain[x\n]text/html[y\n]"},
	    {"nested",
		"Content-Type: multipart/mixed; boundary=a\n\n--a\n"
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n--a\n\ny\n--a--",
		"text/plain[x\n]text/plain[y\n]"},
	    {"boundaries that begin alike",
		"Content-Type: multipart/mixed; boundary=a\n\n--a\n\n"
		"--ab\n--a \n\ny\n--a--",
		"text/plain[--ab\n]text/plain[y\n]"},
	    {"cut off", "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nx", "text/plain[x]"},
	    {"no delimiter", "Content-Type: multipart/mixed; boundary=a\n\nx", "text/plain[x]"},
	    {"a last delimiter alone", "Content-Type: multipart/mixed; boundary=a\n\nx\n--a--\n",
		""},
	    {"no boundary", "Content-Type: multipart/mixed\n\nx", "text/plain[x]"},
	    {"no boundary, with a charset",
		"Content-Type: multipart/mixed; charset=iso-8859-1\n\n\xe4\n-- \nx\n---\n---\n",
		"text/plain[ä\n-- \nx\n---\n---\n]"},
	    {"no boundary, but delimiters",
		"Content-Type: multipart/alternative\n\nThis is MIME.\n\n--=_a/1 \n\nx\n--=_a/1\n"
		"Content-Type: text/html\n\ny\n--=_a/1--\n",
		"text/plain[x\n]text/html[y\n]"},
	    {"another boundary",
		"Content-Type: multipart/mixed; boundary=a\n\n--b\n\nx\n--b\n\ny\n--b--\n",
		"text/plain[x\n]text/plain[y\n]"},
	    {"no boundary, and one line that begins so",
		"Content-Type: multipart/mixed\n\n--b\n\nx\n", "text/plain[--b\n\nx\n]"},
	    {"within another",
		"Content-Type: multipart/mixed; boundary=a\n\n--a\n"
		"Content-Type: multipart/alternative\n\n--b\n\nx\n--b--\n--a\n"
		"Content-Type: multipart/related\n\nz\n--a--",
		"text/plain[x\n]text/plain[z\n]"},
	    {"the boundary of the one around it",
		"Content-Type: multipart/mixed; boundary=a\n\n--a\n"
		"Content-Type: multipart/alternative; boundary=a\n\n\n--a\n\nx\n--a\n"
		"Content-Type: text/html\n\ny\n--a--\n",
		"text/plain[x\n]text/html[y\n]"},
	    {"nothing at all", "Content-Type: multipart/mixed\n\n \n\n", ""},
	    {"a digest",
		"Content-Type: multipart/digest; boundary=a\n\n--a\n\nA: b\n\nx\n--a\n"
		"Content-Type: text/plain\n\ny\n--a--",
		"message/rfc822[A: b\n\nx\n]text/plain[y\n]"},
	    {"a message that is a part", "Content-Type: message/rfc822\n\nA: b\n\nx",
		"message/rfc822[A: b\n\nx]"},
	    {"a charset", "Content-Type: text/plain; charset=iso-8859-1\n\n\xe4", "text/plain[ä]"},
	    {"a charset that is none", "Content-Type: text/plain; charset=x\n\n\xe4",
		"text/plain[\xef\xbf\xbd]"},
	    {"a charset in capitals", "Content-Type: text/plain; charset=KOI8-R\n\n\xc4",
		"text/plain[д]"},
	    {"a charset of several bytes",
		"Content-Type: text/plain; charset=\"iso-2022-jp\"\n\n\x1b$B$\"\x1b(B",
		"text/plain[あ]"},
	    {"one that reports do not come in", "Content-Type: text/plain; charset=utf-7\n\n+AOQ-",
		"text/plain[+AOQ-]"},
	    {"one that has had faults",
		"Content-Type: text/plain; charset=iso-2022-cn-ext\n\n\x1b$)Aa",
		"text/plain[\x1b$)Aa]"},
	    {"a conversion", "Content-Type: text/plain; charset=\"us-ascii//translit\"\n\n\xc3\xa4",
		"text/plain[ä]"},
	    {"base64", "Content-Transfer-Encoding: BASE64\n\nYQ0KYg==\n", "text/plain[a\nb]"},
	    {"base64 cut off", "Content-Transfer-Encoding: base64\n\nYWJj!ZG", "text/plain[abcd]"},
	    {"base64 without padding", "Content-Transfer-Encoding: base64\n\nYWJjZGU\n",
		"text/plain[abcde]"},
	    {"base64 with padding, and one letter more",
		"Content-Transfer-Encoding: base64\n\nYWJjZA==\nY", "text/plain[abcd]"},
	    {"base64 that is padded in chunks",
		"Content-Transfer-Encoding: base64\n\nYQ==\nYmM=\nZG\nVm\nZw==\n",
		"text/plain[abcdefg]"},
	    {"base64, and a word behind it", "Content-Transfer-Encoding: base64\n\nYQ==\nGoodbye\n",
		"text/plain[a]"},
	    {"base64 in chunks, and words behind it",
		"Content-Transfer-Encoding: base64\n\nYQ==\nYg==\nList of ours\n", "text/plain[a]"},
	    {"base64, and the foot of a list behind it",
		"Content-Transfer-Encoding: base64\n\nYQ==\n--\nLeave us\n", "text/plain[a]"},
	    {"quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\na=3Db=\nc",
		"text/plain[a=bc]"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mail_part part = mail_part_split(cases[i].text, strlen(cases[i].text));
		g_autoptr(GString) got = g_string_new(NULL);

		mail_part_walk(&part, part_print, got);
		cr_expect_str_eq(got->str, cases[i].want, "%s: got %s", cases[i].name, got->str);
	}
}

static void
mail_part_count(const struct mail_part *part, const char *type, void *context)
{
	++*(guint *)context;
}

/* A leaf under so many multiparts, and so many parts side by side. */
Test(part, walks_as_far_as_the_limits)
{
	static const struct {
		const char *name;
		guint depth, leaves, want;
	} cases[] = {
	    {"depth", LIMIT_PART_DEPTH, 1, 1},
	    {"depth and one", LIMIT_PART_DEPTH + 1, 1, 0},
	    {"parts", 1, LIMIT_PARTS - 1, LIMIT_PARTS - 1},
	    {"parts and one", 1, LIMIT_PARTS, LIMIT_PARTS - 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new(NULL);
		guint got = 0;

		for (guint d = 0; d < cases[i].depth; d++)
			g_string_append_printf(
			    text, "Content-Type: multipart/mixed; boundary=b%ux\n\n--b%ux\n", d, d);
		for (guint l = 0; l < cases[i].leaves; l++)
			g_string_append_printf(text, "\nleaf\n--b%ux\n", cases[i].depth - 1);
		struct mail_part part = mail_part_split(text->str, text->len);
		mail_part_walk(&part, mail_part_count, &got);
		cr_expect_eq(
		    got, cases[i].want, "%s: got %u want %u", cases[i].name, got, cases[i].want);
	}
}
