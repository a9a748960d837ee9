/* SPDX-License-Identifier: MIT */
/* Compares replies with expectations: single places, headers, whole bodies. */
#include "tests/http/exchange.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "json/strict.h"
#include "json/writer.h"

/* One step of a place: a member, or an element. */
static const struct json *
judge_step(const struct json *value, const char **place)
{
	if (**place == '[') {
		char *end;
		gsize index = strtoul(*place + 1, &end, 10);

		*place = end + 1;
		return json_array_at(value, index);
	}
	*place += **place == '.';
	gsize length = strcspn(*place, ".[");
	g_autofree char *name = g_strndup(*place, length);
	*place += length;
	return json_member_get(value, name);
}

const struct json *
answer_at(const struct answer *answer, const char *place)
{
	const struct json *value = answer->json;

	while (*place && value)
		value = judge_step(value, &place);
	return value;
}

const char *
answer_text(const struct answer *answer, const char *place)
{
	const char *text = json_string(answer_at(answer, place), NULL);

	cr_assert(text, "no text at %s in %s", place, answer->body);
	return text;
}

/* Whether the member exists, even as null, which answer_at cannot tell. */
static bool
judge_is_there(const struct answer *answer, const char *place)
{
	const char *dot = strrchr(place, '.');
	g_autofree char *parent = dot ? g_strndup(place, dot - place) : NULL;

	if (g_str_has_suffix(place, "]"))
		return true;
	return json_member_has(
	    parent ? answer_at(answer, parent) : answer->json, dot ? dot + 1 : place);
}

static const char *
judge_type_of(const struct answer *answer, const char *place)
{
	static const char *const names[] = {
	    [JSON_NULL] = "null",
	    [JSON_BOOLEAN] = "boolean",
	    [JSON_INTEGER] = "integer",
	    [JSON_NUMBER] = "number",
	    [JSON_STRING] = "string",
	    [JSON_ARRAY] = "array",
	    [JSON_OBJECT] = "object",
	};

	return judge_is_there(answer, place) ? names[json_kind(answer_at(answer, place))]
					     : "absent";
}

/* The expectation for a place: a type, or the value itself. */
static char *
judge_describe(const struct answer *answer, const char *place, bool type)
{
	if (type || !judge_is_there(answer, place))
		return g_strdup(judge_type_of(answer, place));
	return json_print(answer_at(answer, place));
}

static void
judge_place(const struct exchange *exchange, const struct answer *answer, const char *want)
{
	const char *sign = strchr(want, ' ');
	g_autofree char *place = g_strndup(want, sign - want);
	g_autofree char *value = exchange_quoted(sign + 3);
	g_autofree char *got = judge_describe(answer, place, sign[1] == ':');

	cr_expect_str_eq(got, value, "%s: %s is %s, want %s, in %.2000s", exchange->name, place,
	    got, value, answer->body);
}

static void
judge_header(const struct exchange *exchange, const struct answer *answer, const char *want)
{
	g_auto(GStrv) parts = g_strsplit(want, ":", 2);
	g_autofree char *got = answer_header(answer, parts[0]);
	const char *value = g_strstrip(parts[1]);

	cr_expect(*value ? g_strcmp0(got, value) == 0 : got == NULL,
	    "%s: header %s is \"%s\", want \"%s\"", exchange->name, parts[0], got ? got : "(none)",
	    value);
}

/* A picture, a page or the metrics, which are not JSON. */
static bool
is_no_json(const struct answer *answer)
{
	g_autofree char *type = answer_header(answer, "Content-Type");

	return type && (g_str_has_prefix(type, "image/") || g_str_has_prefix(type, "text/html") ||
			   g_str_has_prefix(type, "application/openmetrics-text"));
}

static void
judge_whole(const struct exchange *exchange, const struct answer *answer)
{
	g_autofree char *want = exchange->want_body ? exchange_quoted(exchange->want_body) : NULL;

	cr_expect_eq(answer->status, exchange->want_status, "%s: got status %u, want %u: %.2000s",
	    exchange->name, answer->status, exchange->want_status, answer->body);
	cr_expect(!want || strcmp(answer->body, want) == 0, "%s: got %.2000s, want %s",
	    exchange->name, answer->body, want);
	cr_expect(answer->json || answer->size == 0 || want || is_no_json(answer),
	    "%s: not an object: %.2000s", exchange->name, answer->body);
}

struct answer *
exchange_expect(const struct fixture *fixture, const struct exchange *exchange)
{
	struct answer *answer = exchange_ask(fixture, exchange);

	judge_whole(exchange, answer);
	for (gsize i = 0; i < G_N_ELEMENTS(exchange->want) && exchange->want[i]; i++)
		judge_place(exchange, answer, exchange->want[i]);
	for (gsize i = 0; i < G_N_ELEMENTS(exchange->want_header) && exchange->want_header[i]; i++)
		judge_header(exchange, answer, exchange->want_header[i]);
	return answer;
}

void
exchange_expect_all(const struct fixture *fixture, const struct exchange *exchanges, gsize count)
{
	for (gsize i = 0; i < count; i++)
		answer_free(exchange_expect(fixture, &exchanges[i]));
}

char *
exchange_merged(const char *base, const char *change, const char *without)
{
	g_autofree char *base_text = exchange_quoted(base);
	g_autofree char *change_text = g_strdup_printf("{%s}", change ? change : "");
	g_autofree char *quoted = exchange_quoted(change_text);
	AUTO(json) document = json_parse(base_text, strlen(base_text), NULL);
	AUTO(json) changes = json_parse(quoted, strlen(quoted), NULL);
	AUTO(json_writer) writer = json_writer_new();
	struct json_iterator members = json_members(document);
	const struct json *value;
	const char *name;

	cr_assert(document && changes, "no JSON: %s or %s", base, change);
	json_writer_begin_object(writer, NULL);
	while (json_iterator_next(&members, &name, &value))
		if (!json_member_has(changes, name) && g_strcmp0(name, without) != 0)
			json_writer_value(writer, name, value);
	members = json_members(changes);
	while (json_iterator_next(&members, &name, &value))
		json_writer_value(writer, name, value);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}
