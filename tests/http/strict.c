/* SPDX-License-Identifier: MIT */
/* Bodies that are not JSON, or only JSON with extensions. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/email.h"

FIXTURE_SUITE(strict, 900);

#define NO_JSON(what) "body is not valid JSON: " what

static void
strict_expect(const char *name, const char *bytes, gsize size, const char *want)
{
	g_autoptr(GBytes) body = g_bytes_new_static(bytes, size);
	const struct exchange exchange = {name, "POST", "/v1/emails", NULL, 400, .bytes = body};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const char *got = answer_text(answer, "message");

	cr_expect(g_str_has_prefix(got, want), "%s: got %s, want %s", name, got, want);
}

#define BODY(text) text, sizeof(text) - 1

Test(strict, refuses_what_is_no_json)
{
	static const struct {
		const char *name, *bytes;
		gsize size;
		const char *want;
	} cases[] = {
	    {"empty", BODY(""), "body must be a JSON object, but is empty"},
	    {"blank", BODY(" \r\n\t"), "body must be a JSON object, but is empty"},
	    {"array", BODY("[]"), "body must be a JSON object"},
	    {"string", BODY("\"{}\""), "body must be a JSON object"},
	    {"number", BODY("7"), "body must be a JSON object"},
	    {"null", BODY("null"), "body must be a JSON object"},
	    {"form", BODY("from=a@example.com&to=b@example.net"), "body must be a JSON object"},
	    {"single quotes", BODY("{'from':'x'}"),
		NO_JSON("expected a key in double quotes at byte 1")},
	    {"bare key", BODY("{from:\"x\"}"),
		NO_JSON("expected a key in double quotes at byte 1")},
	    {"comment", BODY("{/* x */\"a\":1}"),
		NO_JSON("expected a key in double quotes at byte 1")},
	    {"trailing comma", BODY("{\"a\":1,}"),
		NO_JSON("expected a key in double quotes at byte 7")},
	    {"trailing comma, array", BODY("{\"a\":[1,]}"), NO_JSON("expected a value at byte 8")},
	    {"NaN", BODY("{\"a\":NaN}"), NO_JSON("expected a value at byte 5")},
	    {"Infinity", BODY("{\"a\":-Infinity}"), NO_JSON("")},
	    {"leading zero", BODY("{\"a\":01}"), NO_JSON("")},
	    {"dot at the end", BODY("{\"a\":1.}"), NO_JSON("")},
	    {"plus", BODY("{\"a\":+1}"), NO_JSON("")},
	    {"capitals", BODY("{\"a\":True}"), NO_JSON("")},
	    {"raw line break", BODY("{\"a\":\"x\ny\"}"), NO_JSON("")},
	    {"raw control character", BODY("{\"a\":\"\x01\"}"), NO_JSON("")},
	    {"raw NUL", BODY("{\"a\":\"\0\"}"), NO_JSON("")},
	    {"NUL behind", BODY("{}\0"), NO_JSON("")},
	    {"text behind", BODY("{} x"), NO_JSON("text after the object at byte 3")},
	    {"two objects", BODY("{}{}"), NO_JSON("text after the object at byte 2")},
	    {"cut", BODY("{\"a\":\"x"), NO_JSON("unexpected end at byte 7")},
	    {"byte order mark", BODY("\xef\xbb\xbf{}"), NO_JSON("byte order mark at byte 0")},
	    {"UTF-16", BODY("\xff\xfe{\0}\0"), NO_JSON("invalid UTF-8 at byte 0")},
	    {"Latin-1", BODY("{\"a\":\"\xe9\"}"), NO_JSON("invalid UTF-8 at byte 6")},
	    {"overlong", BODY("{\"a\":\"\xc0\xaf\"}"), NO_JSON("invalid UTF-8 at byte 6")},
	    {"surrogate in UTF-8", BODY("{\"a\":\"\xed\xa0\x80\"}"),
		NO_JSON("invalid UTF-8 at byte 6")},
	    {"beyond Unicode", BODY("{\"a\":\"\xf4\x90\x80\x80\"}"),
		NO_JSON("invalid UTF-8 at byte 6")},
	    {"lone high surrogate", BODY("{\"a\":\"\\ud800\"}"), NO_JSON("")},
	    {"lone low surrogate", BODY("{\"a\":\"\\udc00\"}"), NO_JSON("")},
	    {"surrogates in disorder", BODY("{\"a\":\"\\udc00\\ud800\"}"), NO_JSON("")},
	    {"no escape", BODY("{\"a\":\"\\x41\"}"), NO_JSON("")},
	    {"short escape", BODY("{\"a\":\"\\u41\"}"), NO_JSON("")},
	    {"repeated key", BODY("{\"from\":1,\"from\":2}"),
		NO_JSON("repeated key \"from\" at byte")},
	    {"repeated key, escaped", BODY("{\"from\":1,\"\\u0066rom\":2}"),
		NO_JSON("repeated key")},
	    {"repeated key below", BODY("{\"variables\":{\"a\":1,\"a\":2}}"),
		NO_JSON("repeated key \"a\"")},
	    {"NUL in a key", BODY("{\"a\\u0000\":1}"), NO_JSON("")},
	};
	g_autofree char *before = fixture_rows(fixture);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		strict_expect(cases[i].name, cases[i].bytes, cases[i].size, cases[i].want);
	g_autofree char *after = fixture_rows(fixture);
	cr_expect_str_eq(after, before, "what is stored: got\n%swant\n%s", after, before);
}

/* An unknown member whose value has this depth, the object included. */
static char *
strict_nested(guint levels)
{
	g_autofree char *open = g_strnfill(levels - 1, '[');
	g_autofree char *close = g_strnfill(levels - 1, ']');

	return g_strdup_printf("'x':%s%s", open, close);
}

Test(strict, holds_nesting_to_its_limit)
{
	g_autofree char *fits = strict_nested(32), *over = strict_nested(33),
			*far = strict_nested(100000);
	g_autofree char *body = exchange_quoted(over);
	g_autofree char *whole = g_strdup_printf("{%s}", body);
	g_autofree char *deep = exchange_quoted(far);
	g_autofree char *deepest = g_strdup_printf("{%s}", deep);

	g_free(email_send(fixture, fits));
	strict_expect(
	    "33", whole, strlen(whole), NO_JSON("more than 32 levels of nesting at byte 36"));
	strict_expect(
	    "100000", deepest, strlen(deepest), NO_JSON("more than 32 levels of nesting"));
}

/* Everything that the grammar allows is accepted. */
Test(strict, takes_what_is_json)
{
	static const struct acceptance acceptances[] = {
	    {"escapes", "'subject':'\\u0041\\/\\ud83d\\ude00'", {"subject = 'A/\U0001f600'"}},
	    {"numbers nobody reads", "'x':[-0,0.0,1E+2,-1.5e-3,9223372036854775807]"},
	    {"keys that differ in case", "'colour':1,'COLOUR':2", {"subject = 'S'"}},
	    {"keys of other scripts", "'\u5c71':1"},
	    {"the same key at two levels", "'variables':{'subject':'x'}", {"subject = 'S'"}},
	};

	ACCEPT_ALL(fixture, acceptances);
}
