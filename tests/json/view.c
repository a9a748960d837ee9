/* SPDX-License-Identifier: MIT */
/* A noun by the table of its members: each type, members apart, lists, names. */
#include "json/view.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/id.h"
#include "json/strict.h"
#include "json/writer.h"

struct thing {
	struct base_id id;
	const char *name, *rules;
	gint64 count, when;
	bool is_good;
	enum { COLOUR_RED = 1, COLOUR_BLUE } colour;
	GBytes *body;
	const char **tags;
	const struct json *rest;
};

static const char *const colours[] = {"red", "blue", NULL};

static struct json_view_value
view_read_half(const void *row)
{
	const struct thing *thing = row;

	return (struct json_view_value){
	    .type = thing->count % 2 ? VIEW_ABSENT : VIEW_INTEGER, .number = thing->count / 2};
}

static char *
view_make_greeting(const void *row, const void *context)
{
	return g_strconcat(context, " ", ((const struct thing *)row)->name, NULL);
}

static void
view_write_part(struct json_writer *writer, const char *key, const void *row, const void *context)
{
	json_writer_begin_object(writer, key);
	json_writer_string(writer, "word", context);
	json_writer_end_object(writer);
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct thing, id),
    JSON_VIEW_MEMBER("name", VIEW_TEXT, struct thing, name),
    JSON_VIEW_MEMBER("count", VIEW_INTEGER, struct thing, count),
    JSON_VIEW_MEMBER("when", VIEW_TIME, struct thing, when),
    JSON_VIEW_MEMBER("good", VIEW_TRUTH, struct thing, is_good),
    JSON_VIEW_MEMBER("rules", VIEW_JSON, struct thing, rules),
    JSON_VIEW_MEMBER("colour", VIEW_WORD, struct thing, colour, colours),
    JSON_VIEW_MEMBER("body", VIEW_BYTES, struct thing, body, .is_long = true),
    JSON_VIEW_MEMBER("tags", VIEW_TEXTS, struct thing, tags),
    JSON_VIEW_MEMBER("rest", VIEW_VALUE, struct thing, rest),
    {"half", VIEW_MADE, .read = view_read_half},
    {"greeting", VIEW_TEXT, .make = view_make_greeting},
    {"part", VIEW_PART, .write = view_write_part},
    JSON_VIEW_MEMBER("secret", VIEW_TEXT, struct thing, name, .is_apart = true),
};
static const struct json_view view = JSON_VIEW(members);
static const struct json_view list = {members, G_N_ELEMENTS(members), .is_list = true};

#define ID "0199c1a2-7f00-7000-8000-000000000001"
#define SOME                                                                                       \
	"{\"id\":\"" ID "\",\"name\":\"Ann\",\"count\":4,\"when\":5,\"good\":true,\"rules\":[1],"  \
	"\"colour\":\"blue\","
#define REST                                                                                       \
	"\"tags\":[\"a\",\"b\"],\"rest\":{\"c\":1},\"half\":2,\"greeting\":\"Hello "               \
	"Ann\",\"part\":{\"word\":\"Hello\"}}"

Test(view, writes_a_noun_by_its_table)
{
	const char *tags[] = {"a", "b", NULL};
	AUTO(json) rest = json_parse("{\"c\":1}", 7, NULL);
	struct thing some = {.name = "Ann",
	    .rules = "[1]",
	    .count = 4,
	    .when = 5,
	    .is_good = true,
	    .colour = COLOUR_BLUE,
	    .tags = tags,
	    .rest = rest};
	struct thing none = {.name = NULL, .count = 1, .colour = COLOUR_RED};
	const struct {
		const char *name;
		const struct json_view *view;
		const struct thing *thing;
		const char *want;
	} cases[] = {
	    {"all", &view, &some, SOME "\"body\":\"b\"," REST},
	    {"in a list", &list, &some, SOME REST},
	    {"nothing", &list, &none,
		"{\"id\":\"" ID "\",\"name\":null,\"count\":1,\"when\":null,\"good\":false,"
		"\"rules\":null,\"colour\":\"red\",\"tags\":[],\"rest\":null,\"greeting\":\"Hello "
		"\","
		"\"part\":{\"word\":\"Hello\"}}"},
	};

	cr_assert(base_id_parse(ID, &some.id));
	none.id = some.id;
	some.body = g_bytes_new_static("b", 1);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(json_writer) writer = json_writer_new();

		json_view_write(writer, cases[i].view, cases[i].thing, "Hello");
		g_autofree char *got = json_writer_take(writer, NULL);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
	g_bytes_unref(some.body);
}

Test(view, gives_members_by_name)
{
	const struct thing thing = {.name = "Ann", .count = 3, .colour = COLOUR_RED};
	const struct json_view_value secret = json_view_value(&view, "secret", &thing, NULL);
	const struct json_view_value colour = json_view_value(&view, "colour", &thing, NULL);
	const struct json_view_value half = json_view_value(&view, "half", &thing, NULL);

	cr_expect_str_eq(secret.text, "Ann");
	cr_expect_eq(colour.type, VIEW_TEXT);
	cr_expect_str_eq(colour.text, "red");
	cr_expect_eq(half.type, VIEW_ABSENT);
}
