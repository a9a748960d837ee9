/* SPDX-License-Identifier: MIT */
/* Tests the written text byte by byte, and that it parses to the same value. */
#include "json/writer.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#include "json/strict.h"
#include "json/value.h"

static void
writer_expect_text(struct json_writer *writer, const char *want)
{
	gsize size;
	g_autofree char *got = json_writer_take(writer, &size);

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	cr_expect_eq(size, strlen(want), "size %zu of %s", size, want);
}

Test(writer, writes_every_kind_with_and_without_key)
{
	g_autoptr(GBytes) bytes = g_bytes_new_static("text", 4);
	g_autoptr(GBytes) none = g_bytes_new(NULL, 0);
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "string", "text");
	json_writer_string(writer, "absent", NULL);
	json_writer_string_sized(writer, "sized", "texture", 4);
	json_writer_string_sized(writer, "nothing", NULL, 4);
	json_writer_bytes(writer, "bytes", bytes);
	json_writer_bytes(writer, "no bytes", none);
	json_writer_bytes(writer, "unset bytes", NULL);
	json_writer_integer(writer, "least", G_MININT64);
	json_writer_integer(writer, "most", G_MAXINT64);
	json_writer_boolean(writer, "yes", true);
	json_writer_boolean(writer, "no", false);
	json_writer_null(writer, "null");
	json_writer_raw(writer, "raw", "{\"x\":1.50}garbage", 10);
	json_writer_raw(writer, "unset", NULL, 0);
	json_writer_begin_object(writer, "object");
	json_writer_end_object(writer);
	json_writer_begin_array(writer, "array");
	json_writer_string(writer, NULL, "text");
	json_writer_integer(writer, NULL, 0);
	json_writer_boolean(writer, NULL, true);
	json_writer_null(writer, NULL);
	json_writer_raw(writer, NULL, "[]", 2);
	json_writer_begin_array(writer, NULL);
	json_writer_end_array(writer);
	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "", 1);
	json_writer_end_object(writer);
	json_writer_end_array(writer);
	json_writer_integer(writer, "last", 1);
	json_writer_end_object(writer);
	writer_expect_text(writer,
	    "{\"string\":\"text\",\"absent\":null,\"sized\":\"text\",\"nothing\":null,"
	    "\"bytes\":\"text\",\"no bytes\":\"\",\"unset bytes\":null,"
	    "\"least\":-9223372036854775808,\"most\":9223372036854775807,\"yes\":true,"
	    "\"no\":false,\"null\":null,\"raw\":{\"x\":1.50},\"unset\":null,\"object\":{},"
	    "\"array\":[\"text\",0,true,null,[],[],{\"\":1}],\"last\":1}");
}

Test(writer, writes_one_value_after_another)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_integer(writer, NULL, 1);
	writer_expect_text(writer, "1");
	json_writer_begin_array(writer, NULL);
	json_writer_end_array(writer);
	writer_expect_text(writer, "[]");
	json_writer_string(writer, NULL, "bytes");
	g_autoptr(GBytes) bytes = json_writer_take_bytes(writer);
	gsize size;
	const char *data = g_bytes_get_data(bytes, &size);
	cr_expect(size == 7 && memcmp(data, "\"bytes\"", 7) == 0, "got %.*s", (int)size, data);
}

Test(writer, escapes_what_must_be_and_no_more)
{
	static const struct {
		const char *text;
		gsize size;
		const char *want;
	} cases[] = {
	    {"", 0, "\"\""},
	    {"plain text of some length, 0-9/~", 32, "\"plain text of some length, 0-9/~\""},
	    {"\"", 1, "\"\\\"\""},
	    {"\\", 1, "\"\\\\\""},
	    {"\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\""},
	    {"\0", 1, "\"\\u0000\""},
	    {"\x01\x0b\x1f", 3, "\"\\u0001\\u000b\\u001f\""},
	    {"\x1e 1234567", 9, "\"\\u001e 1234567\""},
	    {"1234567\n", 8, "\"1234567\\n\""},
	    {"12345678\n", 9, "\"12345678\\n\""},
	    {"12345678\n12345678\"", 18, "\"12345678\\n12345678\\\"\""},
	    {"\x7f", 1, "\"\x7f\""},
	    {"/</script>", 10, "\"/</script>\""},
	    {"\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80", 9, "\"\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80\""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(json_writer) writer = json_writer_new();
		json_writer_string_sized(writer, NULL, cases[i].text, cases[i].size);
		writer_expect_text(writer, cases[i].want);
	}
}

/* Each byte of ASCII at each place of a word of eight, as text and as key. */
Test(writer, writes_strings_that_read_back)
{
	for (char byte = 1; byte > 0; byte++)
		for (gsize place = 0; place < 17; place++) {
			AUTO(json_writer) writer = json_writer_new();
			char text[] = "abcdefghijklmnopq";
			gsize size;

			text[place] = byte;
			json_writer_begin_object(writer, NULL);
			json_writer_string(writer, text, text);
			json_writer_end_object(writer);
			g_autofree char *written = json_writer_take(writer, &size);
			g_autoptr(GError) error = NULL;
			AUTO(json) json = json_parse(written, size, &error);
			cr_assert(
			    json, "byte %d at %zu: %s", byte, place, error ? error->message : "");
			const char *got = json_string(json_member_get(json, text), NULL);
			cr_assert(
			    g_strcmp0(got, text) == 0, "byte %d at %zu: got %s", byte, place, got);
		}
}

Test(writer, prints_documents_as_they_were_written)
{
	static const struct {
		const char *text, *want; /* NULL: the same */
	} cases[] = {
	    {"{}", NULL},
	    {"{\"a\":[],\"b\":{},\"c\":\"\"}", NULL},
	    {"{\"z\":1,\"a\":[1,2,[3,[4]],{\"x\":null}],\"m\":true,\"f\":false}", NULL},
	    {"{\"n\":[1.50,1e5,1E+5,-0.0,5.0,1e-400,0.1,100,-7,9223372036854775807]}", NULL},
	    {"{\"n\":[0.10000000000000000000000000000000000001,1.7976931348623157e308]}", NULL},
	    {"{ \"a\" : [ 1 , 2 ] , \"b\" : { } }\n", "{\"a\":[1,2],\"b\":{}}"},
	    {"{\"s\":\"\\u0000\\u0001\\n\\\"\\\\/\"}", NULL},
	    {"{\"s\":\"\\/\\u0041\\u00e9\\ud83d\\ude00\"}",
		"{\"s\":\"/A\xc3\xa9\xf0\x9f\x98\x80\"}"},
	    {"{\"\\u0041\\n\\\"\":1}", "{\"A\\n\\\"\":1}"},
	    {"{\"\":{\"\":[\"\"]}}", NULL},
	    {"{\"n\":-0}", NULL},
	    {"{\"n\":[0,-0,null,[true,-0,9223372036854775808],{\"m\":-9223372036854775809},1]}",
		NULL},
	    {"{\"s\":\"\\ud836\\udc00\",\"n\":123456789012345678901234567890,\"m\":-0}",
		"{\"s\":\"\xf0\x9d\xa0\x80\",\"n\":123456789012345678901234567890,\"m\":-0}"},
	    {"{\"n\":[1e400,-1E+400]}", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *want = cases[i].want ? cases[i].want : cases[i].text;
		AUTO(json) json = json_parse(cases[i].text, strlen(cases[i].text), NULL);
		cr_assert(json, "%s", cases[i].text);
		g_autofree char *got = json_print(json);
		cr_expect_str_eq(got, want, "%s: got %s", cases[i].text, got);
		AUTO(json) again = json_parse(got, strlen(got), NULL);
		g_autofree char *second = json_print(again);
		cr_expect_str_eq(second, want, "%s: then %s", cases[i].text, second);
	}
}

Test(writer, prints_null)
{
	g_autofree char *got = json_print(NULL);

	cr_expect_str_eq(got, "null");
}

Test(writer, takes_a_value_of_a_document)
{
	static const char text[] = "{\"a\":{\"b\":[1.0,\"x\"]}}";
	AUTO(json) json = json_parse(text, sizeof(text) - 1, NULL);
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_value(writer, "copy", json_member_get(json, "a"));
	json_writer_value(writer, "none", json_member_get(json, "z"));
	json_writer_end_object(writer);
	writer_expect_text(writer, "{\"copy\":{\"b\":[1.0,\"x\"]},\"none\":null}");
}

static void
writer_nest(int levels)
{
	AUTO(json_writer) writer = json_writer_new();

	for (int i = 0; i < levels; i++)
		json_writer_begin_array(writer, NULL);
	for (int i = 0; i < levels; i++)
		json_writer_end_array(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	cr_expect_eq(strlen(text), (gsize)levels * 2);
}

Test(writer, nests_64_levels)
{
	writer_nest(64);
}

Test(writer, does_not_nest_65_levels, .signal = SIGABRT)
{
	writer_nest(65);
}

/* Wrong calls end the process. */
Test(writer, wants_a_key_in_an_object, .signal = SIGABRT)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, NULL, 1);
}

Test(writer, wants_no_key_in_an_array, .signal = SIGABRT)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_array(writer, NULL);
	json_writer_integer(writer, "key", 1);
}

Test(writer, wants_no_key_outermost, .signal = SIGABRT)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, "key");
}

Test(writer, wants_one_outermost_value, .signal = SIGABRT)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_integer(writer, NULL, 1);
	json_writer_integer(writer, NULL, 2);
}

Test(writer, wants_levels_closed_as_they_were_opened, .signal = SIGABRT)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_end_array(writer);
}

Test(writer, wants_nothing_closed_that_is_not_open, .signal = SIGABRT)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_end_object(writer);
}

Test(writer, wants_a_whole_value_before_it_is_taken, .signal = SIGABRT)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	g_free(json_writer_take(writer, NULL));
}

Test(writer, wants_a_value_before_it_is_taken, .signal = SIGABRT)
{
	AUTO(json_writer) writer = json_writer_new();

	g_free(json_writer_take(writer, NULL));
}
