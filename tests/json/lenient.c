/* SPDX-License-Identifier: MIT */
/* Tests documents that are settled by a table: what is left of them. */
#include <criterion/criterion.h>
#include <string.h>

#include "json/lenient.h"
#include "json/strict.h"
#include "json/writer.h"

struct record {
	const char *text, *must_be, *may_be_empty;
	const char **some_texts;
	bool is_on;
	const struct json *free, *free_or_text, *list;
	GArray *elements;
};

struct element {
	const char *some_text;
};

static const struct json_field element_fields[] = {
    JSON_FIELD("some_text", FIELD_STRING, struct element, some_text),
    JSON_KNOWN_AS("the_value", JSON_KIND(JSON_STRING)),
    JSON_KNOWN_AS("a_map", JSON_KIND(JSON_OBJECT)),
};

static const struct json_field fields[] = {
    JSON_FIELD("some_text", FIELD_STRING, struct record, text),
    JSON_FIELD("must_be", FIELD_STRING, struct record, must_be, .required = true, .min = 1),
    JSON_FIELD("may_be_empty", FIELD_STRING, struct record, may_be_empty, .required = true),
    JSON_FIELD("some_texts", FIELD_STRINGS, struct record, some_texts),
    JSON_FIELD("is_on", FIELD_BOOLEAN, struct record, is_on),
    JSON_FIELD("free_map", FIELD_OBJECT, struct record, free),
    JSON_FIELD("map_or_text", FIELD_JSON, struct record, free_or_text,
	.kinds = JSON_KIND(JSON_OBJECT) | JSON_KIND(JSON_STRING)),
    JSON_FIELD("map_or_list", FIELD_JSON, struct record, list,
	.kinds = JSON_KIND(JSON_OBJECT) | JSON_KIND(JSON_ARRAY), JSON_MEMBERS(element_fields)),
    JSON_FIELD("elements", FIELD_LIST, struct record, elements,
	JSON_ELEMENTS(element_fields, struct element)),
};

static const struct json_table table = JSON_TABLE(fields);

/* The document after it was settled, with ' for ". The caller owns it. */
static char *
lenient_settle(const char *given)
{
	g_autofree char *text = g_strdelimit(g_strdup(given), "'", '"');
	AUTO(json) document = json_parse_container_take(g_strdup(text), strlen(text), NULL);

	cr_assert(document, "%s", given);
	json_lenient_settle(document, &table);
	return g_strdelimit(json_print(document), "\"", '\'');
}

Test(lenient, settles)
{
	static const struct {
		const char *given, *want;
	} cases[] = {
	    {"{}", "{}"},
	    {"[]", "[]"},
	    {"{'some_text':'a','other':''}", "{'some_text':'a','other':''}"},
	    {"{'some_text':''}", "{}"},
	    {"{'some_text':['']}", "{}"},
	    {"{'some_text':['','']}", "{'some_text':['','']}"},
	    {"{'some_text':null}", "{'some_text':null}"},
	    {"{'some_text':' '}", "{'some_text':' '}"},
	    {"{'some_texts':''}", "{}"},
	    {"{'some_texts':['']}", "{}"},
	    {"{'some_texts':['a']}", "{'some_texts':['a']}"},
	    {"{'some_texts':[7]}", "{'some_texts':[7]}"},
	    {"{'is_on':''}", "{}"},
	    {"{'must_be':''}", "{}"},
	    {"{'may_be_empty':''}", "{'may_be_empty':''}"},
	    {"{'someText':'a'}", "{'some_text':'a'}"},
	    {"{'someText':''}", "{}"},
	    {"{'someText':null}", "{'some_text':null}"},
	    {"{'SomeText':'a','sometext':'b'}", "{'SomeText':'a','sometext':'b'}"},
	    {"{'someText':'a','some_text':'b'}", "{'some_text':'b'}"},
	    {"{'some_text':'b','someText':'a'}", "{'some_text':'b'}"},
	    {"{'some_text':'','someText':'a'}", "{'some_text':'a'}"},
	    {"{'someText':'a','some_text':''}", "{'some_text':'a'}"},
	    {"{'some_text':null,'someText':'a'}", "{'some_text':null}"},
	    {"{'free_map':[]}", "{'free_map':{}}"},
	    {"{'freeMap':[]}", "{'free_map':{}}"},
	    {"{'free_map':['']}", "{}"},
	    {"{'free_map':[7]}", "{'free_map':[7]}"},
	    {"{'free_map':{'someText':'','a_b':[]}}", "{'free_map':{'someText':'','a_b':[]}}"},
	    {"{'map_or_text':''}", "{'map_or_text':''}"},
	    {"{'map_or_text':[]}", "{'map_or_text':{}}"},
	    {"{'map_or_list':[]}", "{'map_or_list':[]}"},
	    {"{'map_or_list':{'someText':'a'}}", "{'map_or_list':{'some_text':'a'}}"},
	    {"{'mapOrList':[{'someText':'a'},7]}", "{'map_or_list':[{'some_text':'a'},7]}"},
	    {"{'elements':[{'someText':'','theValue':'','aMap':[]},{'some_text':''}]}",
		"{'elements':[{'the_value':'','a_map':{}},{}]}"},
	    {"{'elements':''}", "{}"},
	    {"{'elements':[]}", "{'elements':[]}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = lenient_settle(cases[i].given);

		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].given, got, cases[i].want);
	}
}

/* Members of a large object are found by a sorted list. */
Test(lenient, settles_large_objects)
{
	for (guint count = 10; count < 30; count++) {
		g_autoptr(GString) text = g_string_new("{");

		for (guint i = 0; i < count; i++)
			g_string_append_printf(text, "\"x%u\":%u,", i, i);
		g_string_append(
		    text, "\"someText\":\"a\",\"some_texts\":\"\",\"is_on\":true,\"isOn\":false}");
		AUTO(json) document = json_parse(text->str, text->len, NULL);
		cr_assert(document);
		json_lenient_settle(document, &table);
		cr_expect_eq(json_member_count(document), count + 2);
		cr_expect_str_eq(json_string(json_member_get(document, "some_text"), NULL), "a");
		cr_expect(json_boolean(json_member_get(document, "is_on")));
		cr_expect_not(json_member_has(document, "someText"));
		cr_expect_not(json_member_has(document, "some_texts"));
		for (guint i = 0; i < count; i++) {
			g_autofree char *name = g_strdup_printf("x%u", i);

			cr_expect_eq(json_integer(json_member_get(document, name)), i, "%s", name);
		}
	}
}
