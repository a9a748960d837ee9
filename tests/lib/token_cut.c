/* SPDX-License-Identifier: MIT */
#include "link/token_cut.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/secret.h"
#include "link/token.h"

#define OLD "an old secret of more than 32 bytes."
#define NEW "a new secret of more than 32 bytes.."
#define SIGN_IN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"
#define UUID "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"

/* %U, %C, %O, %A, %H, %L: tokens to unsubscribe, confirm, open and download, an address, and a
   click link's destination that has the first; %% is %. */
static char *
token_cut_fill(const struct base_secret *secret, const char *text)
{
	struct link_token token = {
	    .email = {{1, 2, 3, 250, 251, 252, 7, 8, 9, 10, 11, 12, 13, 14}}};
	static const enum link_token_kind kinds[] = {['U'] = TOKEN_UNSUBSCRIBE,
	    ['C'] = TOKEN_CONFIRM,
	    ['O'] = TOKEN_OPEN,
	    ['A'] = TOKEN_ATTACHMENT};
	GString *out = g_string_new(NULL);
	char word[TOKEN_TEXT_SIZE], hex[TOKEN_HEX_SIZE];

	for (; *text; text++) {
		if (*text != '%') {
			g_string_append_c(out, *text);
			continue;
		}
		token.kind = strchr("HL", *++text) ? TOKEN_UNSUBSCRIBE : kinds[(guchar)*text];
		link_token_write(secret, &token, *text == 'A' ? "17" : NULL, word);
		link_token_write_hex(secret, &token, hex);
		g_autofree char *link =
		    g_strconcat("https://r.org/?to=https://x.org/t/u/", word, NULL);
		g_autofree char *encoded = base_secret_base64url(link, strlen(link));
		g_string_append(out, *text == '%'   ? "%"
				     : *text == 'H' ? hex
				     : *text == 'L' ? encoded
						    : word);
	}
	return g_string_free(out, FALSE);
}

static const struct {
	const char *name, *text, *want; /* want NULL: nothing is cut */
} cases[] = {
    {"empty", "", NULL},
    {"a page", "https://x.org/t/u/%U", "https://x.org/t/u/" TOKEN_CUT},
    {"a confirmation", "<a href=\"http://x/t/s/%C\">", "<a href=\"http://x/t/s/" TOKEN_CUT "\">"},
    {"two", "/t/u/%U /t/s/%C.", "/t/u/" TOKEN_CUT " /t/s/" TOKEN_CUT "."},
    {"alone", "%U", TOKEN_CUT},
    {"a query", "/t/u/%U?a=b#c", "/t/u/" TOKEN_CUT "?a=b#c"},
    {"a download", "/t/a/%A?e=17", "/t/a/" TOKEN_CUT "?e=17"},
    {"a download of another time", "/t/a/%A?e=18", NULL},
    {"a download without its time", "/t/a/%A", NULL},
    {"a pixel", "/t/o/%O", NULL},
    {"an address", "<mailto:u+%H@send.x.org?subject=unsubscribe>",
	"<mailto:u+" TOKEN_CUT "@send.x.org?subject=unsubscribe>"},
    {"a click", "/t/c/%O?d=%L\"", "/t/c/%O?d=" TOKEN_CUT "\""},
    {"a click elsewhere", "/t/c/%O?d=aHR0cHM6Ly94Lm9yZy9hL2xvbmcvd2F5L3RoYXQvbGVhZHMvbm93aGVyZQ",
	NULL},
    {"a link to sign in", "https://x.org/dashboard/signin#" SIGN_IN,
	"https://x.org/dashboard/signin#" TOKEN_CUT},
    {"a token of 43 elsewhere", "csrf=" SIGN_IN, NULL},

    {"percent-encoded", "?u=https%%3A%%2F%%2Fx.org%%2Ft%%2Fu%%2F%U&b",
	"?u=https%%3A%%2F%%2Fx.org%%2Ft%%2Fu%%2F" TOKEN_CUT "&b"},
    {"entities", "&#47;t&#47;u&#47;%U&quot;", "&#47;t&#47;u&#47;" TOKEN_CUT "&quot;"},
    {"JSON", "{\"a\":\"\\n%U\"}", "{\"a\":\"\\n" TOKEN_CUT "\"}"},
    {"an equals sign in quoted-printable", "?x=3D%U", "?x=3D" TOKEN_CUT},
    {"a click in quoted-printable", "/t/c/%O?d=3D%L", "/t/c/%O?d=3D" TOKEN_CUT},
    {"a download in quoted-printable", "/t/a/%A?e=3D17", "/t/a/" TOKEN_CUT "?e=3D17"},

    {"another's", "https://shop.org/t/u/abcdefghijklmnopqrstuvwxyz0123456789", NULL},
    {"a longer word", "/t/u/%Ux", NULL},
    {"an id", "/t/u/" UUID, NULL},
};

Test(token_cut, finds_what_acts_for_a_person)
{
	AUTO(base_secret) secret = base_secret_parse(NEW, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = token_cut_fill(secret, cases[i].text);
		g_autofree char *want =
		    cases[i].want ? token_cut_fill(secret, cases[i].want) : NULL;
		g_autoptr(GString) got = link_token_cut(secret, text, strlen(text));

		cr_expect_str_eq(got ? got->str : "(as it is)", want ? want : "(as it is)",
		    "%s: got %s", cases[i].name, got ? got->str : NULL);
	}
}

Test(token_cut, keeps_downloads_where_an_answer_is_to_have_them)
{
	AUTO(base_secret) secret = base_secret_parse(NEW, NULL);
	g_autofree char *text = token_cut_fill(secret, "/t/a/%A?e=17 /t/u/%U");
	g_autofree char *want = token_cut_fill(secret, "/t/a/%A?e=17 /t/u/" TOKEN_CUT);
	g_autoptr(GString) got = link_token_cut_but_downloads(secret, text, strlen(text));

	cr_expect_str_eq(got ? got->str : "(as it is)", want);
}

/* At each place of the token. */
Test(token_cut, joins_soft_line_breaks)
{
	AUTO(base_secret) secret = base_secret_parse(NEW, NULL);
	static const char *const breaks[] = {"=\r\n", "=\n"};
	g_autofree char *text = token_cut_fill(secret, "/t/u/%U.");

	for (gsize at = 0; at <= strlen("/t/u/") + TOKEN_TEXT_SIZE - 1; at++)
		for (gsize i = 0; i < G_N_ELEMENTS(breaks); i++) {
			g_autofree char *broken =
			    g_strdup_printf("%.*s%s%s", (int)at, text, breaks[i], text + at);
			g_autoptr(GString) got = link_token_cut(secret, broken, strlen(broken));

			cr_assert(got && strstr(got->str, TOKEN_CUT) && got->len < 20,
			    "%zu: got %s", at, got ? got->str : NULL);
		}
}

Test(token_cut, knows_tokens_of_the_secret_before)
{
	AUTO(base_secret) old = base_secret_parse(OLD, NULL);
	AUTO(base_secret) both = base_secret_parse(NEW "\n" OLD, NULL);
	AUTO(base_secret) other = base_secret_parse(NEW, NULL);
	g_autofree char *text = token_cut_fill(old, "/t/u/%U");
	g_autoptr(GString) got = link_token_cut(both, text, strlen(text));
	g_autoptr(GString) none = link_token_cut(other, text, strlen(text));

	cr_expect(got && strcmp(got->str, "/t/u/" TOKEN_CUT) == 0);
	cr_expect_null(none, "it is good for nothing any more");
}

Test(token_cut, looks_into_base64_of_a_message)
{
	AUTO(base_secret) secret = base_secret_parse(NEW, NULL);
	g_autofree char *text =
	    token_cut_fill(secret, "gr\xc3\xbc\xc3\x9f dich, https://x.org/t/u/%U und Ende");
	g_autofree char *encoded = g_base64_encode((const guchar *)text, strlen(text));
	g_autofree char *other = g_base64_encode((const guchar *)text, 15);
	g_autofree char *message =
	    token_cut_fill(secret, "List-Unsubscribe: <http://x/t/u/%U>\r\n\r\n--b\r\n\r\n");
	g_autoptr(GString) whole = g_string_new(message);

	g_string_append_printf(whole, "%.60s\r\n%s\r\n--b\r\n\r\n%s%s%s\r\n--b--\r\n", encoded,
	    encoded + 60, other, other, other);
	g_autoptr(GString) got = link_token_cut_message(secret, whole->str, whole->len);
	cr_assert(got);
	cr_expect(g_str_has_prefix(got->str, "List-Unsubscribe: <http://x/t/u/" TOKEN_CUT ">\r\n"),
	    "got %s", got->str);
	g_auto(GStrv) parts = g_strsplit(got->str, "--b", -1);
	gsize size;
	g_autofree char *part = (char *)g_base64_decode(parts[1] + 4, &size);
	g_autofree char *shown = g_strndup(part, size);
	cr_expect_str_eq(
	    shown, "gr\xc3\xbc\xc3\x9f dich, https://x.org/t/u/" TOKEN_CUT " und Ende");
	cr_expect(strstr(parts[2], other), "a part without a token stays: %s", parts[2]);

	g_autoptr(GString) plain = link_token_cut_message(secret, "A: b\r\n\r\nc\r\n", 11);
	cr_expect_null(plain);
}

/* Many texts that only look like tokens cost little; then all that look like one are cut. */
Test(token_cut, checks_so_many_and_no_more, .timeout = 60)
{
	AUTO(base_secret) secret = base_secret_parse(NEW, NULL);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < 200000; i++)
		g_string_append(text, "abcdefghijklmnopqrstuvwxyz0123456789 ");
	gint64 begun = base_clock_thread_ns();
	g_autoptr(GString) got = link_token_cut(secret, text->str, text->len);
	cr_expect(got && g_str_has_suffix(got->str, TOKEN_CUT " "));
	cr_expect_leq(base_clock_thread_ns() - begun, 5 * CLOCK_SECOND_NS);
}
