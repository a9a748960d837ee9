/* SPDX-License-Identifier: MIT */
/* Tests reading values: every reader on every kind of value, and the order of members. */
#include "json/value.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "json/strict.h"

static struct json *
value_parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct json *json = json_parse(text, strlen(text), &error);

	cr_assert(json, "%s: %s", text, error ? error->message : "");
	return json;
}

Test(value, reads_the_numbers_of_a_packed_array)
{
	g_autoptr(GString) text = g_string_new("[0");

	for (guint i = 1; i <= G_MAXUINT8; i++)
		g_string_append_printf(text, ",%u", i);
	g_string_append_c(text, ']');
	AUTO(json) json = json_parse_container_take(g_strdup(text->str), text->len, NULL);
	for (guint i = 0; i <= G_MAXUINT8; i++) {
		const struct json *number = json_array_at(json, i);
		g_autofree char *want = g_strdup_printf("%u", i);

		cr_expect_eq(json_kind(number), JSON_INTEGER);
		cr_expect_eq(json_integer(number), i);
		cr_expect_str_eq(json_number_text(number), want);
		cr_expect_eq(json_array_bytes(json)[i], i);
	}
	cr_expect_null(json_array_at(json, G_MAXUINT8 + 1));
	cr_expect_null(json_array_bytes(json_array_at(json, 0)));
	json_forget(json);
	cr_expect_eq(json_array_length(json), 0);
}

Test(value, reads_every_kind_by_every_reader)
{
	static const struct {
		const char *text;
		enum json_kind kind;
		const char *string, *number_text;
		bool boolean;
		gint64 integer;
		gsize length, members;
	} cases[] = {
	    {"null", JSON_NULL, NULL, NULL, false, 0, 0, 0},
	    {"true", JSON_BOOLEAN, NULL, NULL, true, 0, 0, 0},
	    {"false", JSON_BOOLEAN, NULL, NULL, false, 0, 0, 0},
	    {"0", JSON_INTEGER, NULL, "0", false, 0, 0, 0},
	    {"-0", JSON_INTEGER, NULL, "-0", false, 0, 0, 0},
	    {"42", JSON_INTEGER, NULL, "42", false, 42, 0, 0},
	    {"9223372036854775807", JSON_INTEGER, NULL, "9223372036854775807", false, G_MAXINT64, 0,
		0},
	    {"-9223372036854775808", JSON_INTEGER, NULL, "-9223372036854775808", false, G_MININT64,
		0, 0},
	    {"9223372036854775808", JSON_NUMBER, NULL, "9223372036854775808", false, 0, 0, 0},
	    {"-9223372036854775809", JSON_NUMBER, NULL, "-9223372036854775809", false, 0, 0, 0},
	    {"18446744073709551616", JSON_NUMBER, NULL, "18446744073709551616", false, 0, 0, 0},
	    {"123456789012345678901234567890", JSON_NUMBER, NULL, "123456789012345678901234567890",
		false, 0, 0, 0},
	    {"-1e400", JSON_NUMBER, NULL, "-1e400", false, 0, 0, 0},
	    {"1.50", JSON_NUMBER, NULL, "1.50", false, 0, 0, 0},
	    {"5.0", JSON_NUMBER, NULL, "5.0", false, 0, 0, 0},
	    {"-0.0", JSON_NUMBER, NULL, "-0.0", false, 0, 0, 0},
	    {"1e5", JSON_NUMBER, NULL, "1e5", false, 0, 0, 0},
	    {"1E+05", JSON_NUMBER, NULL, "1E+05", false, 0, 0, 0},
	    {"1e-400", JSON_NUMBER, NULL, "1e-400", false, 0, 0, 0},
	    {"0.1000000000000000055511151231257827", JSON_NUMBER, NULL,
		"0.1000000000000000055511151231257827", false, 0, 0, 0},
	    {"123456789012345678901234567890.0", JSON_NUMBER, NULL,
		"123456789012345678901234567890.0", false, 0, 0, 0},
	    {"\"\"", JSON_STRING, "", NULL, false, 0, 0, 0},
	    {"\"12\"", JSON_STRING, "12", NULL, false, 0, 0, 0},
	    {"\"true\"", JSON_STRING, "true", NULL, false, 0, 0, 0},
	    {"\"\\u00e9\\ud83d\\ude00\\n\\/\"", JSON_STRING, "\xc3\xa9\xf0\x9f\x98\x80\n/", NULL,
		false, 0, 0, 0},
	    {"[]", JSON_ARRAY, NULL, NULL, false, 0, 0, 0},
	    {"[1,null,3]", JSON_ARRAY, NULL, NULL, false, 0, 3, 0},
	    {"{}", JSON_OBJECT, NULL, NULL, false, 0, 0, 0},
	    {"{\"a\":null,\"b\":2}", JSON_OBJECT, NULL, NULL, false, 0, 0, 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *name = cases[i].text;
		g_autofree char *text = g_strdup_printf("{\"v\":%s}", name);
		AUTO(json) json = value_parse(text);
		const struct json *value = json_member_get(json, "v");
		gsize size = 99;

		cr_expect_eq(json_kind(value), cases[i].kind, "%s: kind %d, want %d", name,
		    json_kind(value), cases[i].kind);
		const char *string = json_string(value, &size);
		cr_expect(g_strcmp0(string, cases[i].string) == 0, "%s: string %s, want %s", name,
		    string, cases[i].string);
		gsize want = cases[i].string ? strlen(cases[i].string) : 0;
		cr_expect_eq(size, want, "%s: size %zu, want %zu", name, size, want);
		const char *digits = json_number_text(value);
		cr_expect(g_strcmp0(digits, cases[i].number_text) == 0, "%s: text %s, want %s",
		    name, digits, cases[i].number_text);
		cr_expect_eq(json_boolean(value), cases[i].boolean, "%s: boolean", name);
		cr_expect_eq(json_integer(value), cases[i].integer, "%s: integer %" G_GINT64_FORMAT,
		    name, json_integer(value));
		cr_expect_eq(json_array_length(value), cases[i].length, "%s: length %zu", name,
		    json_array_length(value));
		cr_expect_eq(json_member_count(value), cases[i].members, "%s: members %zu", name,
		    json_member_count(value));
	}
}

Test(value, keeps_a_nul_inside_a_string)
{
	AUTO(json) json = value_parse("{\"v\":\"a\\u0000b\"}");
	gsize size;
	const char *text = json_string(json_member_get(json, "v"), &size);

	cr_expect_eq(size, 3, "got %zu", size);
	cr_expect_eq(memcmp(text, "a\0b", 4), 0);
}

Test(value, tells_null_from_absent)
{
	AUTO(json) json = value_parse("{\"a\":null,\"b\":1,\"\":2}");

	cr_expect(json_member_has(json, "a"));
	cr_expect_null(json_member_get(json, "a"));
	cr_expect(json_member_has(json, "b"));
	cr_expect_eq(json_integer(json_member_get(json, "b")), 1);
	cr_expect_not(json_member_has(json, "c"));
	cr_expect_null(json_member_get(json, "c"));
	cr_expect_eq(json_integer(json_member_get(json, "")), 2);
	cr_expect_not(json_member_has(json_member_get(json, "b"), "b"), "a number has no members");
	cr_expect_null(json_member_get(json_member_get(json, "b"), "b"));
	cr_expect_not(json_member_has(NULL, "a"), "null has no members");
}

Test(value, reaches_every_element_and_none_past_the_end)
{
	AUTO(json) json = value_parse("{\"v\":[10,null,30]}");
	const struct json *array = json_member_get(json, "v");

	cr_expect_eq(json_integer(json_array_at(array, 0)), 10);
	cr_expect_null(json_array_at(array, 1));
	cr_expect_eq(json_integer(json_array_at(array, 2)), 30);
	cr_expect_null(json_array_at(array, 3));
	cr_expect_null(json_array_at(array, G_MAXSIZE));
	cr_expect_null(json_array_at(json, 0), "an object has no elements");
	cr_expect_null(json_array_at(NULL, 0));
}

Test(value, walks_members_in_the_order_of_the_text)
{
	static const char *const want[] = {"z", "a", "m", "", "0", "Z"};
	AUTO(json) json = value_parse("{\"z\":0,\"a\":1,\"m\":2,\"\":3,\"0\":4,\"Z\":5}");
	struct json_iterator members = json_members(json);
	const struct json *value;
	const char *key;
	gsize count = 0;

	while (json_iterator_next(&members, &key, &value)) {
		cr_assert_lt(count, G_N_ELEMENTS(want));
		cr_expect_str_eq(key, want[count], "member %zu: got %s", count, key);
		cr_expect_eq(json_integer(value), (gint64)count, "value of %s", key);
		count++;
	}
	cr_expect_eq(count, G_N_ELEMENTS(want));
	cr_expect_not(json_iterator_next(&members, &key, &value), "it stays at the end");
}

/* Large objects are searched by their sorted keys. */
Test(value, finds_every_member_of_an_object_of_any_size)
{
	for (guint count = 1; count < 70; count++) {
		g_autoptr(GString) text = g_string_new("{\"\\u00e9\":-1");

		/* Keys of one to ten letters, the longest and last first; each second one escaped.
		 */
		for (guint i = count; i-- > 1;)
			g_string_append_printf(
			    text, ",\"%s%.*s%u\":%u", i % 2 ? "\\n" : "", i % 9, "kkkkkkkkk", i, i);
		g_string_append_c(text, '}');
		AUTO(json) json = value_parse(text->str);
		cr_expect_eq(json_member_count(json), count);
		cr_expect_eq(json_integer(json_member_get(json, "\xc3\xa9")), -1);
		for (guint i = 1; i < count; i++) {
			g_autofree char *key =
			    g_strdup_printf("%s%.*s%u", i % 2 ? "\n" : "", i % 9, "kkkkkkkkk", i);
			gint64 got = json_integer(json_member_get(json, key));

			cr_expect_eq(got, i, "%s of %u: got %d", key, count, (int)got);
			key[strlen(key) - 1] = 'x';
			cr_expect_not(json_member_has(json, key), "%s of %u", key, count);
		}
		cr_expect_not(json_member_has(json, ""));
		cr_expect_not(json_member_has(json, "kkkkkkkkkkkkkkk"));
	}
}

Test(value, finds_no_members_in_anything_else)
{
	static const char *const cases[] = {"{}", "[1]", "1", "\"a\"", "null", "true", "1.5"};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strdup_printf("{\"v\":%s}", cases[i]);
		AUTO(json) json = value_parse(text);
		struct json_iterator members = json_members(json_member_get(json, "v"));
		const struct json *value;
		const char *key;
		cr_expect_not(json_iterator_next(&members, &key, &value), "%s", cases[i]);
	}
}

Test(value, forgets_what_is_below)
{
	AUTO(json) json = value_parse("{\"a\":[1,{\"b\":[2]}],\"c\":{\"d\":\"e\"},\"f\":\"g\"}");
	const struct json *object = json_member_get(json, "c");
	const char *text = json_string(json_member_get(object, "d"), NULL);
	gsize whole = json_weight(json);

	json_forget(json_member_get(json, "a"));
	json_forget(object);
	json_forget(json_member_get(json, "f"));
	json_forget(NULL);
	cr_expect_eq(json_array_length(json_member_get(json, "a")), 0);
	cr_expect_eq(json_kind(json_member_get(json, "a")), JSON_ARRAY);
	cr_expect_eq(json_member_count(object), 0);
	cr_expect_not(json_member_has(object, "d"));
	cr_expect_str_eq(json_string(json_member_get(json, "f"), NULL), "g");
	cr_expect_str_eq(text, "e", "a text that was given has gone");
	cr_expect_lt(json_weight(json), whole);
}
