/* SPDX-License-Identifier: MIT */
/* Tests every type of field with every kind of value and at every limit, and the messages. */
#include "json/fields.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/unit.h"
#include "json/strict.h"
#include "json/writer.h"

struct part {
	const char *filename;
	const char **tags;
	gint64 size;
	GArray *parts;
};

struct input {
	const char *string;
	const char **strings;
	bool boolean;
	gint64 integer;
	gint64 time;
	const struct json *object;
	GArray *list;
	const struct json *json;
	bool given;
};

static const struct json_field leaf_fields[] = {
    JSON_FIELD("filename", FIELD_STRING, struct part, filename, .required = true),
};

static const struct json_field part_fields[] = {
    JSON_FIELD(
	"filename", FIELD_STRING, struct part, filename, .required = true, .min = 1, .max = 5),
    JSON_FIELD("tags", FIELD_STRINGS, struct part, tags),
    JSON_FIELD("size", FIELD_INTEGER, struct part, size, .min = 1, .max = 5),
    JSON_FIELD("parts", FIELD_LIST, struct part, parts, JSON_ELEMENTS(leaf_fields, struct part)),
};

#define STRING(...) JSON_FIELD("v", FIELD_STRING, struct input, string, __VA_ARGS__)
#define STRINGS(...) JSON_FIELD("v", FIELD_STRINGS, struct input, strings, __VA_ARGS__)
#define BOOLEAN(...) JSON_FIELD("v", FIELD_BOOLEAN, struct input, boolean, __VA_ARGS__)
#define INTEGER(...) JSON_FIELD("v", FIELD_INTEGER, struct input, integer, __VA_ARGS__)
#define TIME(...) JSON_FIELD("v", FIELD_TIME, struct input, time, __VA_ARGS__)
#define OBJECT(...) JSON_FIELD("v", FIELD_OBJECT, struct input, object, __VA_ARGS__)
#define ANY(...) JSON_FIELD("v", FIELD_JSON, struct input, json, __VA_ARGS__)
#define LIST(...)                                                                                  \
	JSON_FIELD("v", FIELD_LIST, struct input, list, JSON_ELEMENTS(part_fields, struct part),   \
	    __VA_ARGS__)

#define NUL_SENTENCE "must not contain the character U+0000"
#define TIME_SENTENCE "must be epoch milliseconds or an ISO 8601 time"

static struct json *
fields_parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct json *json = json_parse(text, strlen(text), &error);

	cr_assert(json, "%s: %s", text, error ? error->message : "");
	return json;
}

static void
fields_append_strings(GString *got, const char **strings)
{
	for (gsize i = 0; strings && strings[i]; i++)
		g_string_append_printf(got, "%s%s", i > 0 ? "|" : "", strings[i]);
}

/* The result of reading as text. */
static char *
fields_show(const struct json_field *field, const struct input *input)
{
	GString *got = g_string_new(NULL);
	g_autofree char *printed = NULL;

	switch (field->type) {
	case FIELD_STRING:
		g_string_append(got, input->string ? input->string : "NULL");
		break;
	case FIELD_STRINGS:
		fields_append_strings(got, input->strings);
		break;
	case FIELD_BOOLEAN:
		g_string_append(got, input->boolean ? "true" : "false");
		break;
	case FIELD_INTEGER:
		g_string_append_printf(got, "%" G_GINT64_FORMAT, input->integer);
		break;
	case FIELD_TIME:
		g_string_append_printf(got, "%" G_GINT64_FORMAT, input->time);
		break;
	case FIELD_OBJECT:
	case FIELD_JSON:
		printed = json_print(field->type == FIELD_JSON ? input->json : input->object);
		g_string_append(got, printed);
		break;
	case FIELD_KNOWN:
		break;
	case FIELD_LIST:
		for (guint i = 0; input->list && i < input->list->len; i++) {
			struct part *part = &g_array_index(input->list, struct part, i);
			g_string_append_printf(got, "%s%s:%" G_GINT64_FORMAT ":", i > 0 ? " " : "",
			    part->filename, part->size);
			fields_append_strings(got, part->tags);
			g_string_append_printf(got, ":%u", part->parts ? part->parts->len : 0);
		}
		break;
	}
	return g_string_free(got, false);
}

/* {"v": value} read by one field; value NULL: {}. One of want and fault. */
struct field_case {
	struct json_field field;
	const char *value;
	const char *want;
	const char *fault;
};

static void
fields_check(const struct field_case *c)
{
	g_autofree char *text = c->value ? g_strdup_printf("{\"v\":%s}", c->value) : g_strdup("{}");
	AUTO(json) json = fields_parse(text);
	g_autoptr(GError) error = NULL;
	struct input input = {0};
	bool read = json_fields_read(json, &c->field, 1, &input, &error);

	if (c->fault) {
		g_autofree char *shown = g_strndup(text, 100);
		cr_expect(!read, "%s: was taken, want \"%s\"", shown, c->fault);
		if (error)
			cr_expect_str_eq(error->message, c->fault, "%s: got \"%s\", want \"%s\"",
			    shown, error->message, c->fault);
		cr_expect(read || g_error_matches(error, PH_ERROR, PH_ERROR_INVALID));
		cr_expect_null(input.strings, "%s: left something to free", shown);
		cr_expect_null(input.list, "%s: left something to free", shown);
	} else {
		cr_expect(read, "%s: got \"%s\"", text, error ? error->message : "");
		g_autofree char *got = fields_show(&c->field, &input);
		cr_expect_str_eq(got, c->want, "%s: got %s, want %s", text, got, c->want);
	}
	json_fields_free(&c->field, 1, &input);
	cr_expect_null(input.strings);
	cr_expect_null(input.list);
}

static void
fields_check_all(const struct field_case *cases, gsize count)
{
	for (gsize i = 0; i < count; i++)
		fields_check(&cases[i]);
}

/* Rows: the field; want for null, true, 5, 5.0, "a", [], {}, as value or as fault. */
Test(fields, takes_of_every_type_only_its_kinds)
{
	static const char *const values[] = {"null", "true", "5", "5.0", "\"a\"", "[]", "{}"};
	static const struct {
		struct json_field field;
		const char *fault;
		const char *taken[G_N_ELEMENTS(values)];
	} cases[] = {
	    {STRING(), "v must be a string", {"NULL", 0, 0, 0, "a", 0, 0}},
	    {STRINGS(), "v must be a string or an array of strings", {"", 0, 0, 0, "a", "", 0}},
	    {BOOLEAN(), "v must be a boolean", {"false", "true", 0, 0, 0, 0, 0}},
	    {INTEGER(), "v must be an integer", {"0", 0, "5", 0, 0, 0, 0}},
	    {TIME(), "v " TIME_SENTENCE, {"0", 0, "5", 0, 0, 0, 0}},
	    {OBJECT(), "v must be an object", {"null", 0, 0, 0, 0, 0, "{}"}},
	    {LIST(), "v must be an array", {"", 0, 0, 0, 0, "", 0}},
	    {ANY(.kinds = JSON_KIND(JSON_STRING)), "v must be a string",
		{"null", 0, 0, 0, "\"a\"", 0, 0}},
	    {ANY(.kinds = JSON_KIND(JSON_BOOLEAN)), "v must be a boolean",
		{"null", "true", 0, 0, 0, 0, 0}},
	    {ANY(.kinds = JSON_KIND(JSON_INTEGER)), "v must be an integer",
		{"null", 0, "5", 0, 0, 0, 0}},
	    {ANY(.kinds = JSON_KIND(JSON_NUMBER)), "v must be a number",
		{"null", 0, "5", "5.0", 0, 0, 0}},
	    {ANY(.kinds = JSON_KIND(JSON_ARRAY)), "v must be an array",
		{"null", 0, 0, 0, 0, "[]", 0}},
	    {ANY(.kinds = JSON_KIND(JSON_OBJECT)), "v must be an object",
		{"null", 0, 0, 0, 0, 0, "{}"}},
	    {ANY(.kinds = JSON_KIND(JSON_OBJECT) | JSON_KIND(JSON_STRING)),
		"v must be a string or an object", {"null", 0, 0, 0, "\"a\"", 0, "{}"}},
	    {ANY(.kinds = JSON_KIND(JSON_OBJECT) | JSON_KIND(JSON_STRING) | JSON_KIND(JSON_NUMBER)),
		"v must be a string, a number or an object",
		{"null", 0, "5", "5.0", "\"a\"", 0, "{}"}},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (gsize j = 0; j < G_N_ELEMENTS(values); j++) {
			const char *taken = cases[i].taken[j];
			fields_check(&(struct field_case){
			    cases[i].field, values[j], taken, taken ? NULL : cases[i].fault});
		}
}

/* Absent and null alike; any type. */
Test(fields, wants_what_is_required)
{
	const struct json_field fields[] = {
	    STRING(.required = true),
	    STRINGS(.required = true),
	    BOOLEAN(.required = true),
	    INTEGER(.required = true),
	    TIME(.required = true),
	    OBJECT(.required = true),
	    LIST(.required = true),
	    ANY(.required = true, .kinds = JSON_KIND(JSON_STRING)),
	};

	for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
		fields_check(&(struct field_case){fields[i], NULL, NULL, "v is required"});
		fields_check(&(struct field_case){fields[i], "null", NULL, "v is required"});
	}
}

Test(fields, limits_strings)
{
	static const struct field_case cases[] = {
	    {STRING(.max = 3), "\"\"", "", NULL},
	    {STRING(.max = 3), "\"abc\"", "abc", NULL},
	    {STRING(.max = 3), "\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\"",
		"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80", NULL},
	    {STRING(.max = 3), "\"abcd\"", NULL, "v must be at most 3 characters"},
	    {STRING(.max = 3), "\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\"", NULL,
		"v must be at most 3 characters"},
	    {STRING(.max = 3), "\"abcdefghijklmnopqrstuvwxyz\"", NULL,
		"v must be at most 3 characters"},
	    {STRING(.min = 1, .max = 3), "\"a\"", "a", NULL},
	    {STRING(.min = 1, .max = 3), "\"\"", NULL, "v must be 1 to 3 characters"},
	    {STRING(.min = 1, .max = 3), "\"abcd\"", NULL, "v must be 1 to 3 characters"},
	    {STRING(.min = 1, .max = 3, .required = true), "\"\"", NULL, "v is required"},
	    {STRING(.min = 1, .max = 3, .required = true), "\"abcd\"", NULL,
		"v must be at most 3 characters"},
	    {STRING(.min = 4, .max = 5, .required = true), "\"\"", NULL, "v is required"},
	    {STRING(.min = 4, .max = 5, .required = true), "\"abc\"", NULL,
		"v must be 4 to 5 characters"},
	    {STRING(.min = 4, .max = 5, .required = true), "\"abcd\"", "abcd", NULL},
	    {STRING(.min = 4, .max = 5), "\"\xc3\xa9\xc3\xa9\"", NULL,
		"v must be 4 to 5 characters"},
	    {STRING(.min = 1, .required = true), "\"\"", NULL, "v is required"},
	    {STRING(.required = true), "\"\"", "", NULL},
	    {STRING(.min = 2), "\"a\"", NULL, "v must be at least 2 characters"},
	    {STRING(.bytes = true, .max = 4), "\"\xc3\xa9\xc3\xa9\"", "\xc3\xa9\xc3\xa9", NULL},
	    {STRING(.bytes = true, .max = 4), "\"\xc3\xa9\xc3\xa9x\"", NULL,
		"v must be at most 4 bytes"},
	    {STRING(.bytes = true, .min = 2, .max = 4), "\"a\"", NULL, "v must be 2 to 4 bytes"},
	    {STRING(.bytes = true, .min = 1, .max = 4, .required = true), "\"\"", NULL,
		"v is required"},
	    {STRING(), "\"\\u0000\"", NULL, "v " NUL_SENTENCE},
	    {STRING(.max = 1), "\"abc\\u0000\"", NULL, "v " NUL_SENTENCE},
	    {STRING(), "\"\\u0001\\n\"", "\x01\n", NULL},
	};

	fields_check_all(cases, G_N_ELEMENTS(cases));
}

/* In whole MiB the limit is told in MB. */
Test(fields, limits_bytes_in_mb)
{
	static const struct {
		gint64 max;
		gsize size;
		const char *fault;
	} cases[] = {
	    {LIMIT_MIB, LIMIT_MIB, NULL},
	    {LIMIT_MIB, LIMIT_MIB + 1, "v must be at most 1MB"},
	    {LIMIT_TEXT_BYTES, LIMIT_TEXT_BYTES, NULL},
	    {LIMIT_TEXT_BYTES, LIMIT_TEXT_BYTES + 1, "v must be at most 10MB"},
	    {LIMIT_MIB + 1, LIMIT_MIB + 1, NULL},
	    {LIMIT_MIB + 1, LIMIT_MIB + 2, "v must be at most 1048577 bytes"},
	    {65536, 65537, "v must be at most 65536 bytes"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct json_field field = STRING(.bytes = true, .required = true, .min = 1);
		g_autofree char *value = g_strnfill(cases[i].size + 2, 'x');
		field.max = cases[i].max;
		value[0] = value[cases[i].size + 1] = '"';
		g_autofree char *want = g_strndup(value + 1, cases[i].size);
		fields_check(&(struct field_case){
		    field, value, cases[i].fault ? NULL : want, cases[i].fault});
	}
}

Test(fields, reads_one_or_several_strings)
{
	static const struct field_case cases[] = {
	    {STRINGS(), "\"a\"", "a", NULL},
	    {STRINGS(), "\"\"", "", NULL},
	    {STRINGS(), "[\"a\",\"\",\"c\"]", "a||c", NULL},
	    {STRINGS(.required = true), "[]", "", NULL},
	    {STRINGS(.required = true, .min = 1), "[]", NULL, "v is required"},
	    {STRINGS(.required = true, .min = 1), "\"\"", NULL, "v is required"},
	    {STRINGS(.required = true, .min = 1), "[\"\"]", "", NULL},
	    {STRINGS(.max = 2), "[\"a\",\"b\"]", "a|b", NULL},
	    {STRINGS(.max = 2), "[\"a\",\"b\",\"c\"]", NULL, "v must have at most 2 elements"},
	    {STRINGS(.min = 2, .max = 3), "\"a\"", NULL, "v must have 2 to 3 elements"},
	    {STRINGS(), "[\"a\",1]", NULL, "v[1] must be a string"},
	    {STRINGS(), "[null]", NULL, "v[0] must be a string"},
	    {STRINGS(), "[\"a\",\"b\",\"c\",[\"d\"]]", NULL, "v[3] must be a string"},
	    {STRINGS(), "\"\\u0000\"", NULL, "v " NUL_SENTENCE},
	    {STRINGS(), "[\"a\",\"b\\u0000\"]", NULL, "v[1] " NUL_SENTENCE},
	};

	fields_check_all(cases, G_N_ELEMENTS(cases));
}

Test(fields, leaves_alone_what_is_only_known)
{
	static const struct field_case cases[] = {
	    {JSON_KNOWN("v"), "[1,{\"v\":\"\\u0000\"}]", "", NULL},
	    {JSON_KNOWN("v"), NULL, "", NULL},
	};

	fields_check_all(cases, G_N_ELEMENTS(cases));
}

Test(fields, limits_integers)
{
	static const struct field_case cases[] = {
	    {INTEGER(), "9223372036854775807", "9223372036854775807", NULL},
	    {INTEGER(), "-9223372036854775808", "-9223372036854775808", NULL},
	    {INTEGER(), "-1", "-1", NULL},
	    {INTEGER(), "1e2", NULL, "v must be an integer"},
	    {INTEGER(), "\"1\"", NULL, "v must be an integer"},
	    {INTEGER(.min = 1, .max = 5), "1", "1", NULL},
	    {INTEGER(.min = 1, .max = 5), "5", "5", NULL},
	    {INTEGER(.min = 1, .max = 5), "0", NULL, "v must be between 1 and 5"},
	    {INTEGER(.min = 1, .max = 5), "6", NULL, "v must be between 1 and 5"},
	    {INTEGER(.max = 5), "0", "0", NULL},
	    {INTEGER(.max = 5), "-1", NULL, "v must be between 0 and 5"},
	    {INTEGER(.min = -5), "-5", "-5", NULL},
	    {INTEGER(.min = -5), "-6", NULL, "v must be between -5 and 0"},
	    {INTEGER(.min = -5), "1", NULL, "v must be between -5 and 0"},
	    {INTEGER(.max = G_MAXINT64), "9223372036854775807", "9223372036854775807", NULL},
	    {INTEGER(.max = G_MAXINT64), "-1", NULL, "v must be at least 0"},
	    {INTEGER(), "9223372036854775808", NULL,
		"v must be between -9223372036854775808 and 9223372036854775807"},
	    {INTEGER(.min = 1, .max = 5), "9223372036854775808", NULL, "v must be between 1 and 5"},
	    {INTEGER(.max = 5), "-9223372036854775809", NULL, "v must be between 0 and 5"},
	    {INTEGER(), "9223372036854775808.0", NULL, "v must be an integer"},
	    {TIME(), "9223372036854775808", NULL, "v " TIME_SENTENCE},
	};

	fields_check_all(cases, G_N_ELEMENTS(cases));
}

Test(fields, reads_times_in_both_forms)
{
	static const struct field_case cases[] = {
	    {TIME(), "0", "0", NULL},
	    {TIME(), "1795161600123", "1795161600123", NULL},
	    {TIME(), "-1", "-1", NULL},
	    {TIME(), "\"1970-01-01T00:00:01Z\"", "1000", NULL},
	    {TIME(), "\"1970-01-01T00:00:00.250Z\"", "250", NULL},
	    {TIME(), "\"1970-01-01T01:00:00+01:00\"", "0", NULL},
	    {TIME(), "253402300799999", "253402300799999", NULL},
	    {TIME(), "253402300800000", NULL, "v " TIME_SENTENCE},
	    {TIME(), "-62135596800000", "-62135596800000", NULL},
	    {TIME(), "-62135596800001", NULL, "v " TIME_SENTENCE},
	    {TIME(), "9223372036854775807", NULL, "v " TIME_SENTENCE},
	    {TIME(), "\"\"", NULL, "v " TIME_SENTENCE},
	    {TIME(), "\"tomorrow\"", NULL, "v " TIME_SENTENCE},
	    {TIME(), "\"1795161600123\"", NULL, "v " TIME_SENTENCE},
	    {TIME(), "\"1970-01-02\"", "86400000", NULL},
	    {TIME(), "\"1970-01-01T00:01Z\"", "60000", NULL},
	    {TIME(), "\"1970-02-30T00:00:00Z\"", NULL, "v " TIME_SENTENCE},
	    {TIME(), "\"1970-01-01T00:00:01Z\\u0000\"", NULL, "v " NUL_SENTENCE},
	    {TIME(), "1795161600123.5", NULL, "v " TIME_SENTENCE},
	};

	fields_check_all(cases, G_N_ELEMENTS(cases));
}

Test(fields, limits_objects)
{
	static const struct field_case cases[] = {
	    {OBJECT(.max = 2), "{\"a\":1,\"b\":{\"c\":1,\"d\":1,\"e\":1}}",
		"{\"a\":1,\"b\":{\"c\":1,\"d\":1,\"e\":1}}", NULL},
	    {OBJECT(.max = 2), "{\"a\":1,\"b\":2,\"c\":3}", NULL,
		"v must have at most 2 properties"},
	    {OBJECT(.required = true, .min = 1), "{}", NULL, "v is required"},
	    {OBJECT(.min = 1), "{}", NULL, "v must have at least 1 properties"},
	    {OBJECT(), "{\"a\":\"\\u0000\"}", NULL, "v.a " NUL_SENTENCE},
	    {OBJECT(), "{\"a\":[1,{\"b\":[\"x\",\"y\\u0000\"]}]}", NULL,
		"v.a[1].b[1] " NUL_SENTENCE},
	    {ANY(.kinds = JSON_KIND(JSON_STRING)), "\"\\u0000\"", NULL, "v " NUL_SENTENCE},
	    {ANY(.kinds = JSON_KIND(JSON_ARRAY)), "[null,\"\\u0000\"]", NULL, "v[1] " NUL_SENTENCE},
	    {ANY(.kinds = JSON_KIND(JSON_OBJECT), .max = 1), "{\"a\":1,\"b\":2}", NULL,
		"v must have at most 1 properties"},
	    {ANY(.kinds = JSON_KIND(JSON_ARRAY), .max = 1), "[1,2]", "[1,2]", NULL},
	};

	fields_check_all(cases, G_N_ELEMENTS(cases));
}

Test(fields, names_only_the_beginning_of_a_long_key)
{
	g_autofree char *key = g_strnfill(101, 'k');
	g_autofree char *value = g_strdup_printf("{\"%s\":\"\\u0000\"}", key);
	g_autofree char *fault = g_strdup_printf("v.%.100s " NUL_SENTENCE, key);

	fields_check(&(struct field_case){OBJECT(), value, NULL, fault});
}

Test(fields, reads_lists_of_objects)
{
	static const char too_many[] = "Too many parts: {count}. Max is {max}";
	static const struct field_case cases[] = {
	    {LIST(), "[{\"filename\":\"a\"}]", "a:0::0", NULL},
	    {LIST(),
		"[{\"filename\":\"a\",\"tags\":[\"x\",\"y\"],\"size\":3},"
		"{\"filename\":\"b\",\"parts\":[{\"filename\":\"c\"},{\"filename\":\"d\"}]}]",
		"a:3:x|y:0 b:0::2", NULL},
	    {LIST(), "[1]", NULL, "v[0] must be an object"},
	    {LIST(), "[null]", NULL, "v[0] must be an object"},
	    {LIST(), "[{\"filename\":\"a\"},{},{}]", NULL, "v[1].filename is required"},
	    {LIST(), "[{\"filename\":\"\"}]", NULL, "v[0].filename is required"},
	    {LIST(), "[{\"filename\":\"abcdef\"}]", NULL,
		"v[0].filename must be at most 5 characters"},
	    {LIST(), "[{\"filename\":\"a\"},{\"filename\":\"b\"},{\"filename\":1}]", NULL,
		"v[2].filename must be a string"},
	    {LIST(), "[{\"filename\":\"a\",\"tags\":[\"x\",false]}]", NULL,
		"v[0].tags[1] must be a string"},
	    {LIST(), "[{\"filename\":\"a\",\"size\":6}]", NULL,
		"v[0].size must be between 1 and 5"},
	    {LIST(), "[{\"filename\":\"a\",\"parts\":[{\"filename\":\"b\"},{}]}]", NULL,
		"v[0].parts[1].filename is required"},
	    {LIST(), "[{\"filename\":\"\\u0000\"}]", NULL, "v[0].filename " NUL_SENTENCE},
	    {LIST(.max = 2), "[{\"filename\":\"a\"},{\"filename\":\"b\"}]", "a:0::0 b:0::0", NULL},
	    {LIST(.max = 2), "[1,2,3]", NULL, "v must have at most 2 elements"},
	    {LIST(.max = 2, .above = too_many), "[{\"filename\":\"a\"},{\"filename\":\"b\"}]",
		"a:0::0 b:0::0", NULL},
	    {LIST(.max = 2, .above = too_many), "[1,2,3]", NULL, "Too many parts: 3. Max is 2"},
	    {LIST(.required = true, .min = 1, .max = 2, .above = too_many), "[]", NULL,
		"v is required"},
	    {LIST(.min = 1, .max = 2, .above = too_many), "[]", NULL,
		"v must have 1 to 2 elements"},
	};

	fields_check_all(cases, G_N_ELEMENTS(cases));
}

Test(fields, tells_null_from_absent)
{
	static const struct {
		const char *text;
		bool want;
		const char *string;
	} cases[] = {
	    {"{}", false, "before"},
	    {"{\"v\":null}", true, "before"},
	    {"{\"v\":\"after\"}", true, "after"},
	    {"{\"w\":\"after\"}", false, "before"},
	};
	static const struct json_field field = STRING(.given = offsetof(struct input, given));

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(json) json = fields_parse(cases[i].text);
		struct input input = {.string = "before", .given = !cases[i].want};
		cr_assert(json_fields_read(json, &field, 1, &input, NULL));
		cr_expect_eq(
		    input.given, cases[i].want, "%s: given %d", cases[i].text, input.given);
		cr_expect_str_eq(
		    input.string, cases[i].string, "%s: got %s", cases[i].text, input.string);
	}
}

Test(fields, takes_an_empty_list_as_absent_where_it_is_blank)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"{\"list\":[]}", NULL},
	    {"{\"list\":null}", NULL},
	    {"{\"list\":\"\"}", "list must be an array"},
	    {"{\"list\":[{}]}", "list must have at least 2 elements"},
	};
	static const struct json_field field = JSON_FIELD("list", FIELD_LIST, struct input, list,
	    .blank = true, .min = 2, JSON_ELEMENTS(part_fields, struct part));

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(json) json = fields_parse(cases[i].text);
		g_autoptr(GError) error = NULL;
		struct input input = {0};

		json_fields_read(json, &field, 1, &input, &error);
		cr_expect_str_eq(error ? error->message : "", cases[i].want ? cases[i].want : "",
		    "%s: got %s", cases[i].text, error ? error->message : "nothing");
		cr_expect_null(input.list, "%s", cases[i].text);
		json_fields_free(&field, 1, &input);
	}
}

Test(fields, reports_the_first_fault_in_the_order_of_the_table_and_frees_the_rest)
{
	static const struct json_field fields[] = {
	    JSON_FIELD("tags", FIELD_STRINGS, struct input, strings),
	    JSON_FIELD(
		"list", FIELD_LIST, struct input, list, JSON_ELEMENTS(part_fields, struct part)),
	    JSON_FIELD("a", FIELD_INTEGER, struct input, integer),
	    JSON_FIELD("b", FIELD_BOOLEAN, struct input, boolean, .required = true),
	};
	static const char text[] = "{\"unknown\":{\"tags\":1},\"a\":\"x\",\"tags\":[\"t\"],"
				   "\"list\":[{\"filename\":\"f\",\"tags\":\"t\"}]}";
	AUTO(json) json = fields_parse(text);
	g_autoptr(GError) error = NULL;
	struct input input = {0};

	cr_assert_not(json_fields_read(json, fields, G_N_ELEMENTS(fields), &input, &error));
	cr_expect_str_eq(error->message, "a must be an integer", "got %s", error->message);
	cr_expect_null(input.strings);
	cr_expect_null(input.list);
}
