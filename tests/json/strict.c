/* SPDX-License-Identifier: MIT */
/* Tests valid and invalid documents, and the messages about invalid ones. */
#include "json/strict.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/request.h"

struct text {
	const char *bytes;
	gsize size;
};

#define TEXT(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

/* The text is at the end of its memory, so that a sanitizer sees any reading after it. */
static struct json *
strict_parse(const char *bytes, gsize size, GError **error)
{
	g_autofree char *copy = g_malloc(size ? size : 1);

	memcpy(copy, bytes, size);
	return json_parse(copy, size, error);
}

static void
strict_expect_valid(const char *name, const char *bytes, gsize size)
{
	g_autoptr(GError) error = NULL;
	AUTO(json) json = strict_parse(bytes, size, &error);

	cr_expect(json, "%s: got \"%s\", want a document", name, error ? error->message : "");
}

static void
expect_invalid(const char *name, const char *bytes, gsize size, const char *want)
{
	g_autoptr(GError) error = NULL;
	AUTO(json) json = strict_parse(bytes, size, &error);

	cr_expect(!json, "%s: was accepted, want \"%s\"", name, want);
	if (json)
		return;
	cr_expect_str_eq(
	    error->message, want, "%s: got \"%s\", want \"%s\"", name, error->message, want);
	cr_expect(
	    g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "%s: code %d", name, error->code);
}

/* Each is also tried as a member's value and as an element. */
Test(strict, takes_every_value_of_the_grammar)
{
	static const struct text cases[] = {
	    TEXT("null"),
	    TEXT("true"),
	    TEXT("false"),
	    TEXT("0"),
	    TEXT("-0"),
	    TEXT("1"),
	    TEXT("-1"),
	    TEXT("10"),
	    TEXT("1234567890"),
	    TEXT("9223372036854775807"),
	    TEXT("-9223372036854775808"),
	    TEXT("0.0"),
	    TEXT("-0.0"),
	    TEXT("0.5"),
	    TEXT("1.50"),
	    TEXT("-1.25"),
	    TEXT("1e5"),
	    TEXT("1E5"),
	    TEXT("1e+5"),
	    TEXT("1E+5"),
	    TEXT("1e-5"),
	    TEXT("1e05"),
	    TEXT("0e0"),
	    TEXT("0e5"),
	    TEXT("-0e-0"),
	    TEXT("0.1e1"),
	    TEXT("1.5E-10"),
	    TEXT("1e308"),
	    TEXT("1.7976931348623157e308"),
	    TEXT("-1.7976931348623157e308"),
	    TEXT("5e-324"),
	    TEXT("1e-400"),
	    TEXT("9223372036854775808"),
	    TEXT("-9223372036854775809"),
	    TEXT("18446744073709551615"),
	    TEXT("100000000000000000000"),
	    TEXT("1e309"),
	    TEXT("-1e400"),
	    TEXT("1.7976931348623159e308"),
	    TEXT("1e99999999999999999999"),
	    TEXT("9223372036854775808.0"),
	    TEXT("123456789012345678901234567890.5"),
	    TEXT("123456789012345678901234567890e0"),
	    TEXT("\"\""),
	    TEXT("\"a\""),
	    TEXT("\"abcdefghijklmnopqrstuvwxyz\""),
	    TEXT("\"it's /* no */ // comment\""),
	    TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
	    TEXT("\"\\u0041\""),
	    TEXT("\"\\u00e9\\u00E9\""),
	    TEXT("\"\\u0000\""),
	    TEXT("\"\\u001f\""),
	    TEXT("\"\\ud83d\\ude00\""),
	    TEXT("\"\\uD800\\uDC00\""),
	    TEXT("\"\\udbff\\udfff\""),
	    TEXT("\"\\ud7ff\\ue000\""),
	    TEXT("\"\\ufffe\\uffff\""),
	    TEXT("\"\\\\u0000\""),
	    TEXT("\"\x7f\""),
	    TEXT("\"\xc2\x80\""),
	    TEXT("\"\xdf\xbf\""),
	    TEXT("\"\xe0\xa0\x80\""),
	    TEXT("\"\xed\x9f\xbf\""),
	    TEXT("\"\xee\x80\x80\""),
	    TEXT("\"\xef\xbb\xbf\""),
	    TEXT("\"\xef\xbf\xbf\""),
	    TEXT("\"\xf0\x90\x80\x80\""),
	    TEXT("\"\xf0\x9f\x98\x80\""),
	    TEXT("\"\xf4\x8f\xbf\xbf\""),
	    TEXT("\"\xe2\x80\xa8\xe2\x80\xa9\""),
	    TEXT("[]"),
	    TEXT("[ ]"),
	    TEXT("[\t\r\n]"),
	    TEXT("[1]"),
	    TEXT("[1,2]"),
	    TEXT("[ 1 , 2 ]"),
	    TEXT("[null,true,false,0,\"\",[],{}]"),
	    TEXT("[[],[[]]]"),
	    TEXT("{}"),
	    TEXT("{ }"),
	    TEXT("{\n\t\r }"),
	    TEXT("{\"\":0}"),
	    TEXT("{\"a\":1,\"b\":2}"),
	    TEXT("{ \"a\" : 1 , \"b\" : 2 }"),
	    TEXT("{\"a\":{\"a\":{\"a\":1}}}"),
	    TEXT("{\"a\":1,\"A\":1,\"aa\":1,\"\\u00e1\":1}"),
	    TEXT("[{\"a\":1},{\"a\":1}]"),
	    TEXT("{\"\\n\":1,\"\\\\n\":2,\"n\":3}"),
	    TEXT("{\"__proto__\":1,\"constructor\":2}"),
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *member = g_strdup_printf("{\"v\":%s}", cases[i].bytes);
		g_autofree char *spaced = g_strdup_printf(
		    " \t\r\n{ \"v\"\t:\r\n[ %s , %s ] } \n", cases[i].bytes, cases[i].bytes);
		strict_expect_valid(cases[i].bytes, member, strlen(member));
		strict_expect_valid(cases[i].bytes, spaced, strlen(spaced));
		if (cases[i].bytes[0] == '{')
			strict_expect_valid(cases[i].bytes, cases[i].bytes, cases[i].size);
	}
}

Test(strict, refuses_what_is_no_object)
{
	static const struct {
		struct text text;
		const char *want;
	} cases[] = {
	    {TEXT(""), "body must be a JSON object, but is empty"},
	    {TEXT(" \r\n\t"), "body must be a JSON object, but is empty"},
	    {TEXT("[]"), "body must be a JSON object"},
	    {TEXT("[{}]"), "body must be a JSON object"},
	    {TEXT("\"a\""), "body must be a JSON object"},
	    {TEXT("1"), "body must be a JSON object"},
	    {TEXT("null"), "body must be a JSON object"},
	    {TEXT("true"), "body must be a JSON object"},
	    {TEXT("a=b&c=d"), "body must be a JSON object"},
	    {TEXT("\v{}"), "body must be a JSON object"},
	    {TEXT("\xc2\xa0{}"), "body must be a JSON object"},
	    {TEXT("\xef\xbb\xbf"), "body is not valid JSON: byte order mark at byte 0"},
	    {TEXT("\xef\xbb\xbf{}"), "body is not valid JSON: byte order mark at byte 0"},
	    {TEXT("\xff\xfe{\0}\0"), "body is not valid JSON: invalid UTF-8 at byte 0"},
	    {TEXT("{\0}\0"), "body is not valid JSON: NUL at byte 1"},
	    {TEXT("{}\0"), "body is not valid JSON: NUL at byte 2"},
	    {TEXT("{} {}"), "body is not valid JSON: text after the object at byte 3"},
	    {TEXT("{},"), "body is not valid JSON: text after the object at byte 2"},
	    {TEXT("{}}"), "body is not valid JSON: text after the object at byte 2"},
	    {TEXT("{}]"), "body is not valid JSON: text after the object at byte 2"},
	    {TEXT("{}//"), "body is not valid JSON: text after the object at byte 2"},
	    {TEXT("//\n{}"), "body must be a JSON object"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_invalid(
		    cases[i].text.bytes, cases[i].text.bytes, cases[i].text.size, cases[i].want);
}

/* The byte counts from the value, which stands behind {"v": */
Test(strict, refuses_every_other_value)
{
	static const struct {
		struct text text;
		const char *problem;
		gsize at;
	} cases[] = {
	    {TEXT(""), "expected a value", 0},
	    {TEXT("NaN"), "expected a value", 0},
	    {TEXT("Infinity"), "expected a value", 0},
	    {TEXT("-Infinity"), "expected a digit", 1},
	    {TEXT("-NaN"), "expected a digit", 1},
	    {TEXT("undefined"), "expected a value", 0},
	    {TEXT("True"), "expected a value", 0},
	    {TEXT("NULL"), "expected a value", 0},
	    {TEXT("nul"), "expected a value", 0},
	    {TEXT("tru"), "expected a value", 0},
	    {TEXT("fals"), "expected a value", 0},
	    {TEXT("trueish"), "expected a comma or a closing brace", 4},
	    {TEXT("nullnull"), "expected a comma or a closing brace", 4},
	    {TEXT("'a'"), "expected a value", 0},
	    {TEXT("`a`"), "expected a value", 0},
	    {TEXT("/**/1"), "expected a value", 0},
	    {TEXT("//\n1"), "expected a value", 0},
	    {TEXT("1/**/"), "expected a comma or a closing brace", 1},
	    {TEXT("#1"), "expected a value", 0},
	    {TEXT("\f1"), "expected a value", 0},
	    {TEXT("\xc2\xa0"), "expected a value", 0},
	    {TEXT("01"), "expected a comma or a closing brace", 1},
	    {TEXT("00"), "expected a comma or a closing brace", 1},
	    {TEXT("-01"), "expected a comma or a closing brace", 2},
	    {TEXT("+1"), "expected a value", 0},
	    {TEXT(".5"), "expected a value", 0},
	    {TEXT("-.5"), "expected a digit", 1},
	    {TEXT("1."), "expected a digit", 2},
	    {TEXT("1.e5"), "expected a digit", 2},
	    {TEXT("-"), "expected a digit", 1},
	    {TEXT("--1"), "expected a digit", 1},
	    {TEXT("1e"), "expected a digit", 2},
	    {TEXT("1e+"), "expected a digit", 3},
	    {TEXT("1e-"), "expected a digit", 3},
	    {TEXT("1e+-1"), "expected a digit", 3},
	    {TEXT("1e1.5"), "expected a comma or a closing brace", 3},
	    {TEXT("1.2.3"), "expected a comma or a closing brace", 3},
	    {TEXT("0x10"), "expected a comma or a closing brace", 1},
	    {TEXT("1_000"), "expected a comma or a closing brace", 1},
	    {TEXT("1 000"), "expected a comma or a closing brace", 2},
	    {TEXT("1-1"), "expected a comma or a closing brace", 1},
	    {TEXT("10n"), "expected a comma or a closing brace", 2},
	    {TEXT("\xd9\xa1"), "expected a value", 0},
	    {TEXT("\"\t\""), "control character that is not escaped", 1},
	    {TEXT("\"ab\ncd\""), "control character that is not escaped", 3},
	    {TEXT("\"abcdefghijk\r\""), "control character that is not escaped", 12},
	    {TEXT("\"\x01\""), "control character that is not escaped", 1},
	    {TEXT("\"\x1f\""), "control character that is not escaped", 1},
	    {TEXT("\"\0\""), "NUL", 1},
	    {TEXT("\"\\a\""), "unknown escape", 1},
	    {TEXT("\"\\'\""), "unknown escape", 1},
	    {TEXT("\"\\0\""), "unknown escape", 1},
	    {TEXT("\"\\x41\""), "unknown escape", 1},
	    {TEXT("\"\\v\""), "unknown escape", 1},
	    {TEXT("\"\\N\""), "unknown escape", 1},
	    {TEXT("\"\\U0041\""), "unknown escape", 1},
	    {TEXT("\"a\\\nb\""), "unknown escape", 2},
	    {TEXT("\"\\u\""), "\\u without four hexadecimal digits", 1},
	    {TEXT("\"\\u004\""), "\\u without four hexadecimal digits", 1},
	    {TEXT("\"\\u004g\""), "\\u without four hexadecimal digits", 1},
	    {TEXT("\"\\u+041\""), "\\u without four hexadecimal digits", 1},
	    {TEXT("\"\\u{41}\""), "\\u without four hexadecimal digits", 1},
	    {TEXT("\"\\ud800\""), "surrogate without its other half", 1},
	    {TEXT("\"\\udbff\""), "surrogate without its other half", 1},
	    {TEXT("\"\\udc00\""), "surrogate without its other half", 1},
	    {TEXT("\"\\udfff\""), "surrogate without its other half", 1},
	    {TEXT("\"\\ude00\\ud83d\""), "surrogate without its other half", 1},
	    {TEXT("\"\\ud83dx\\ude00\""), "surrogate without its other half", 1},
	    {TEXT("\"\\ud83d\\ud83d\\ude00\""), "surrogate without its other half", 1},
	    {TEXT("\"\\ud83d\\u0041\""), "surrogate without its other half", 1},
	    {TEXT("\"\\ud83d\\n\""), "surrogate without its other half", 1},
	    {TEXT("\"\\ud83d\\u\""), "surrogate without its other half", 1},
	    {TEXT("\"\x80\""), "invalid UTF-8", 1},
	    {TEXT("\"\xbf\""), "invalid UTF-8", 1},
	    {TEXT("\"\xff\""), "invalid UTF-8", 1},
	    {TEXT("\"\xfe\""), "invalid UTF-8", 1},
	    {TEXT("\"\xc3\""), "invalid UTF-8", 1},
	    {TEXT("\"\xc3(\""), "invalid UTF-8", 1},
	    {TEXT("\"\xc0\x80\""), "invalid UTF-8", 1},
	    {TEXT("\"\xc0\xaf\""), "invalid UTF-8", 1},
	    {TEXT("\"\xc1\xbf\""), "invalid UTF-8", 1},
	    {TEXT("\"\xe0\x80\xaf\""), "invalid UTF-8", 1},
	    {TEXT("\"\xe0\x9f\xbf\""), "invalid UTF-8", 1},
	    {TEXT("\"\xe2\x82\""), "invalid UTF-8", 1},
	    {TEXT("\"\xed\xa0\x80\""), "invalid UTF-8", 1},
	    {TEXT("\"\xed\xbf\xbf\""), "invalid UTF-8", 1},
	    {TEXT("\"\xed\xa0\xbd\xed\xb8\x80\""), "invalid UTF-8", 1},
	    {TEXT("\"\xf0\x80\x80\xaf\""), "invalid UTF-8", 1},
	    {TEXT("\"\xf0\x8f\xbf\xbf\""), "invalid UTF-8", 1},
	    {TEXT("\"\xf4\x90\x80\x80\""), "invalid UTF-8", 1},
	    {TEXT("\"\xf5\x80\x80\x80\""), "invalid UTF-8", 1},
	    {TEXT("\"\xf8\x88\x80\x80\x80\""), "invalid UTF-8", 1},
	    {TEXT("\"ok \xe9t\xe9\""), "invalid UTF-8", 4},
	    {TEXT("[,]"), "expected a value", 1},
	    {TEXT("[1,]"), "expected a value", 3},
	    {TEXT("[,1]"), "expected a value", 1},
	    {TEXT("[1,,2]"), "expected a value", 3},
	    {TEXT("[1 2]"), "expected a comma or a closing bracket", 3},
	    {TEXT("[1;2]"), "expected a comma or a closing bracket", 2},
	    {TEXT("[1}"), "expected a comma or a closing bracket", 2},
	    {TEXT("[\"a\":1]"), "expected a comma or a closing bracket", 4},
	    {TEXT("[1"), "expected a comma or a closing bracket", 2},
	    {TEXT("]"), "expected a value", 0},
	    {TEXT("{,}"), "expected a key in double quotes", 1},
	    {TEXT("{\"a\":1,}"), "expected a key in double quotes", 7},
	    {TEXT("{\"a\":1,,\"b\":2}"), "expected a key in double quotes", 7},
	    {TEXT("{a:1}"), "expected a key in double quotes", 1},
	    {TEXT("{'a':1}"), "expected a key in double quotes", 1},
	    {TEXT("{1:1}"), "expected a key in double quotes", 1},
	    {TEXT("{null:1}"), "expected a key in double quotes", 1},
	    {TEXT("{[]:1}"), "expected a key in double quotes", 1},
	    {TEXT("{\"a\"}"), "expected a colon", 4},
	    {TEXT("{\"a\" 1}"), "expected a colon", 5},
	    {TEXT("{\"a\"=1}"), "expected a colon", 4},
	    {TEXT("{\"a\",1}"), "expected a colon", 4},
	    {TEXT("{\"a\"::1}"), "expected a value", 5},
	    {TEXT("{\"a\":}"), "expected a value", 5},
	    {TEXT("{\"a\":1 \"b\":2}"), "expected a comma or a closing brace", 7},
	    {TEXT("{\"a\":1]"), "expected a comma or a closing brace", 6},
	    {TEXT("{\"a\tb\":1}"), "control character that is not escaped", 3},
	    {TEXT("{\"\\u0000\":1}"), "key with the character U+0000", 2},
	    {TEXT("{\"a\\u0000b\":1}"), "key with the character U+0000", 2},
	    {TEXT("{\"a\":1,\"a\":1}"), "repeated key \"a\"", 8},
	    {TEXT("{\"a\":1,\"b\":2,\"a\":3}"), "repeated key \"a\"", 14},
	    {TEXT("{\"\":1,\"\":2}"), "repeated key \"\"", 7},
	    {TEXT("{\"a\":1,\"\\u0061\":2}"), "repeated key \"\\u0061\"", 8},
	    {TEXT("{\"\\u00E9\":1,\"\xc3\xa9\":2}"), "repeated key \"\xc3\xa9\"", 13},
	    {TEXT("{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}"),
		"repeated key \"\xf0\x9f\x98\x80\"", 19},
	    {TEXT("{\"\\/\":1,\"/\":2}"), "repeated key \"/\"", 9},
	    {TEXT("{\"\\n\":1,\"\\u000a\":2}"), "repeated key \"\\u000a\"", 9},
	    {TEXT("{\"a\":{\"b\":1},\"a\":{\"c\":1}}"), "repeated key \"a\"", 14},
	    {TEXT("[{\"a\":1,\"a\":1}]"), "repeated key \"a\"", 9},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new("{\"v\":");
		g_autofree char *want = g_strdup_printf("body is not valid JSON: %s at byte %zu",
		    cases[i].problem, text->len + cases[i].at);
		g_string_append_len(text, cases[i].text.bytes, (gssize)cases[i].text.size);
		g_string_append_c(text, '}');
		expect_invalid(cases[i].text.bytes, text->str, text->len, want);
	}
}

/* Every beginning of a document is refused as incomplete. */
Test(strict, refuses_every_document_that_is_cut_off)
{
	static const char document[] = "{\"a\":[1,-2.5e+3,\"x\\n\\ud83d\\ude00\xc3\xa9\",true,"
				       "false,null,{}],\"b\":{\"c\":12}}";

	strict_expect_valid("whole", document, sizeof(document) - 1);
	for (gsize size = 1; size < sizeof(document) - 1; size++) {
		g_autoptr(GError) error = NULL;
		AUTO(json) json = strict_parse(document, size, &error);
		cr_assert(!json, "%.*s was accepted", (int)size, document);
		cr_expect(strstr(error->message, "unexpected end") ||
			      strstr(error->message, "expected a value at") ||
			      strstr(error->message, "hexadecimal digits at") ||
			      strstr(error->message, "other half at") ||
			      strstr(error->message, "invalid UTF-8 at"),
		    "%.*s: got \"%s\"", (int)size, document, error->message);
	}
}

static char *
strict_repeat(const char *text, gsize times)
{
	GString *all = g_string_new(NULL);

	while (times-- > 0)
		g_string_append(all, text);
	return g_string_free(all, false);
}

Test(strict, takes_as_many_levels_as_the_limit)
{
	static const struct {
		const char *open, *inside, *close;
	} cases[] = {
	    {"[", "", "]"},
	    {"[", "1", "]"},
	    {"{\"a\":", "{}", "}"},
	    {"{\"a\":", "{\"a\":1}", "}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (gsize past = 0; past < 2; past++) {
			gsize inner = LIMIT_JSON_DEPTH - 1 - (cases[i].inside[0] == '{') + past;
			g_autofree char *open = strict_repeat(cases[i].open, inner);
			g_autofree char *close = strict_repeat(cases[i].close, inner);
			g_autofree char *text =
			    g_strdup_printf("{\"v\":%s%s%s}", open, cases[i].inside, close);
			g_autoptr(GError) error = NULL;
			AUTO(json) json = strict_parse(text, strlen(text), &error);
			cr_expect_eq(!json, past, "%s: got %s", text, json ? "taken" : "refused");
			if (past)
				cr_expect(error && strstr(error->message,
						       "more than 32 levels of nesting"),
				    "%s: got \"%s\"", text, error ? error->message : "");
		}
}

Test(strict, takes_as_many_values_as_the_limit)
{
	for (gsize past = 0; past < 2; past++) {
		/* The object, the array, the last element. */
		g_autofree char *elements = strict_repeat("1,", LIMIT_JSON_VALUES - 3 + past);
		g_autofree char *text = g_strdup_printf("{\"v\":[%s1]}", elements);
		g_autoptr(GError) error = NULL;
		AUTO(json) json = strict_parse(text, strlen(text), &error);
		cr_expect_eq(!json, past, "%zu past: got %s", past, json ? "taken" : "refused");
		if (past)
			cr_expect(error && strstr(error->message, "more than 1000000 values"),
			    "got \"%s\"", error ? error->message : "");
	}
}

/* As a member and inside an array; the text is at the end of its memory. */
static struct json *
parse_packed(const char *array, GError **error)
{
	g_autofree char *text = g_strdup_printf("{\"a\":{\"b\":%s},\"c\":[[],%s]}", array, array);

	return json_parse_container_take(g_memdup2(text, strlen(text)), strlen(text), error);
}

Test(strict, packs_arrays_of_bytes)
{
	static const struct {
		const char *array;
		bool packed;
		gsize count;
	} cases[] = {
	    {"[0]", true, 1},
	    {"[255,0,10,99,100,249,250]", true, 7},
	    {" [ 1 ,\n2\t, 3 ] ", true, 3},
	    {"[]", false, 0},
	    {"[256]", false, 1},
	    {"[1,1000]", false, 2},
	    {"[-1]", false, 1},
	    {"[-0]", false, 1},
	    {"[1.0,1]", false, 2},
	    {"[1,2e0]", false, 2},
	    {"[1,\"2\"]", false, 2},
	    {"[1,[2]]", false, 2},
	    {"[1,null]", false, 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(json) json = parse_packed(cases[i].array, &error);
		const struct json *array = json_member_get(json_member_get(json, "a"), "b");
		const struct json *inner = json_array_at(json_member_get(json, "c"), 1);

		cr_assert(json, "%s: %s", cases[i].array, error ? error->message : "");
		cr_expect_eq(json_array_length(array), cases[i].count, "%s", cases[i].array);
		cr_expect_eq(!!json_array_bytes(array), cases[i].packed, "%s", cases[i].array);
		cr_expect_eq(json_array_length(inner), cases[i].count, "%s", cases[i].array);
	}
}

Test(strict, packs_no_array_that_is_wrong)
{
	static const char *const cases[] = {"[01]", "[1,]", "[,1]", "[1", "[1 2]", "[00]", "[1}"};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(json) json = parse_packed(cases[i], &error);

		cr_expect(!json && error, "%s: was accepted", cases[i]);
	}
}

Test(strict, counts_an_array_of_bytes_as_one_value)
{
	g_autofree char *bytes = strict_repeat("1,", 2 * LIMIT_JSON_VALUES);
	g_autofree char *text = g_strdup_printf("[[%s255]]", bytes);
	g_autoptr(GError) error = NULL;
	AUTO(json) json = json_parse_container_take(g_strdup(text), strlen(text), &error);
	g_autofree char *mixed = g_strdup_printf("[[%s256]]", bytes);

	cr_assert(json, "%s", error ? error->message : "");
	cr_expect_eq(json_array_length(json_array_at(json, 0)), 2 * LIMIT_JSON_VALUES + 1);
	cr_expect_leq(json_weight(json), 2 * LIMIT_JSON_VALUES + 200);
	cr_expect_not(json_parse_container_take(g_strdup(mixed), strlen(mixed), NULL));
}

Test(strict, finds_the_repeated_key_among_many)
{
	g_autoptr(GString) text = g_string_new("{");

	for (int i = 0; i < 5000; i++)
		g_string_append_printf(text, "\"key%d\":%d,", i, i);
	gsize at = text->len + 1;
	g_string_append(text, "\"last\":0}");
	strict_expect_valid("5001 keys", text->str, text->len);
	g_string_truncate(text, at - 1);
	g_string_append(text, "\"key2500\":0}");
	g_autofree char *want =
	    g_strdup_printf("body is not valid JSON: repeated key \"key2500\" at byte %zu", at);
	expect_invalid("repeated", text->str, text->len, want);
}

/* Objects with few keys and with many look for repeated ones in different ways. */
Test(strict, finds_the_repeated_key_of_any_object)
{
	for (int count = 1; count <= 40; count++) {
		g_autoptr(GString) text = g_string_new("{");

		for (int i = 0; i < count; i++)
			g_string_append_printf(text, "\"key%d\":%d,", i, i);
		gsize at = text->len + 1;
		g_string_append_printf(text, "\"key%d\":0}", count / 2);
		g_autofree char *want = g_strdup_printf(
		    "body is not valid JSON: repeated key \"key%d\" at byte %zu", count / 2, at);
		expect_invalid("repeated", text->str, text->len, want);
	}
}

Test(strict, makes_documents_of_one_value)
{
	gsize size;
	AUTO(json) text = json_make_string(g_strdup("\"\xc3\xa9\\n"));
	AUTO(json) empty = json_make_string(g_strdup(""));
	AUTO(json) least = json_make_integer(G_MININT64);
	AUTO(json) yes = json_make_boolean(true);
	AUTO(json) no = json_make_boolean(false);

	cr_expect_null(json_make_string(NULL));
	cr_expect_str_eq(json_string(text, &size), "\"\xc3\xa9\\n");
	cr_expect_eq(size, 5);
	cr_expect_str_eq(json_string(empty, &size), "");
	cr_expect_eq(size, 0);
	cr_expect_eq(json_kind(least), JSON_INTEGER);
	cr_expect_eq(json_integer(least), G_MININT64);
	cr_expect_str_eq(json_number_text(least), "-9223372036854775808");
	cr_expect_eq(json_kind(yes), JSON_BOOLEAN);
	cr_expect(json_boolean(yes));
	cr_expect_eq(json_kind(no), JSON_BOOLEAN);
	cr_expect_not(json_boolean(no));
}

Test(strict, shows_the_beginning_of_a_long_repeated_key)
{
	g_autofree char *key = strict_repeat("\xc3\xa9", 1000);
	g_autofree char *shown = strict_repeat("\xc3\xa9", 31);
	g_autofree char *text = g_strdup_printf("{\"x%s\":1,\"x%s\":2}", key, key);
	g_autofree char *want =
	    g_strdup_printf("body is not valid JSON: repeated key \"x%s\" at byte %d", shown, 2008);

	expect_invalid("long key", text, strlen(text), want);
}

Test(strict, tells_the_line_where_there_are_several)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"{ x", "body is not valid JSON: expected a key in double quotes at byte 2"},
	    {"{\nx", "body is not valid JSON: expected a key in double quotes at byte 2 (line 2)"},
	    {"{\r\n\r\n\"a\":}\n", "body is not valid JSON: expected a value at byte 9 (line 3)"},
	    {"{}\n", NULL},
	    {"{\n", "body is not valid JSON: unexpected end at byte 2 (line 2)"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		if (cases[i].want)
			expect_invalid(
			    cases[i].text, cases[i].text, strlen(cases[i].text), cases[i].want);
		else
			strict_expect_valid(cases[i].text, cases[i].text, strlen(cases[i].text));
}

Test(strict, calls_the_text_by_its_name)
{
	g_autoptr(GError) error = NULL;

	cr_assert_null(json_parse_as("design", "[]", 2, &error));
	cr_expect_str_eq(error->message, "design must be a JSON object");
	g_clear_error(&error);
	cr_assert_null(json_parse_as("design", "{]", 2, &error));
	cr_expect_str_eq(
	    error->message, "design is not valid JSON: expected a key in double quotes at byte 1");
}

Test(strict, refuses_2_gib_before_reading_it)
{
	g_autoptr(GError) error = NULL;

	cr_assert_null(json_parse("", (gsize)G_MAXINT + 1, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE), "got %s", error->message);
}

Test(strict, reads_every_character_in_either_spelling)
{
	for (gunichar plane = 0; plane <= 0x100000; plane += 0x10000) {
		g_autoptr(GString) text = g_string_new("{\"v\":\"");
		g_autoptr(GString) want = g_string_new(NULL);
		gsize size;

		for (gunichar code = plane; code < plane + 0x10000; code++) {
			if (code < 0x20 || (code >= 0xd800 && code < 0xe000))
				continue;
			g_string_append_unichar(want, code);
			if (code < 0x10000)
				g_string_append_printf(text, "\\u%04x", code);
			else
				g_string_append_printf(text, "\\u%04X\\u%04x",
				    0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
			if (code != '"' && code != '\\') {
				g_string_append_unichar(text, code);
				g_string_append_unichar(want, code);
			}
		}
		g_string_append(text, "\"}");
		AUTO(json) json = strict_parse(text->str, text->len, NULL);
		cr_assert(json, "plane of U+%X", plane);
		const char *got = json_string(json_member_get(json, "v"), &size);
		cr_expect(size == want->len && memcmp(got, want->str, size) == 0,
		    "plane of U+%X: other text", plane);
	}
}

Test(strict, resolves_only_what_is_an_escape)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"\\ud836\\udc00", "\xf0\x9d\xa0\x80"},
	    {"\\uD836\\uDFFF\\n", "\xf0\x9d\xaf\xbf\n"},
	    {"\\ud836\\udc00\\u0041", "\xf0\x9d\xa0\x80"
				      "A"},
	    {"\\ud836\\udc00\\\\ud836\\\\udc00", "\xf0\x9d\xa0\x80\\ud836\\udc00"},
	    {"\\ud836\\udc00\\\"\\u00e9\\/", "\xf0\x9d\xa0\x80\"\xc3\xa9/"},
	    {"\\ud836\\udc00\\u0000", "\xf0\x9d\xa0\x80"},
	    {"\\ud836\\udc00\\ud83d\\ude00", "\xf0\x9d\xa0\x80\xf0\x9f\x98\x80"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text =
		    g_strdup_printf("{\"%s\":1,\"v\":\"%s\"}", "\\ud836\\udc00", cases[i].text);
		AUTO(json) json = strict_parse(text, strlen(text), NULL);
		cr_assert(json, "%s", text);
		const char *got = json_string(json_member_get(json, "v"), NULL);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", text, got, cases[i].want);
		cr_expect(json_member_has(json, "\xf0\x9d\xa0\x80"), "%s: the key", text);
	}
}
