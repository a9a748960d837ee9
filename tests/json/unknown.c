/* SPDX-License-Identifier: MIT */
/* Tests unknown members: misspelled ones are refused, others are listed. */
#include "json/unknown.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/request.h"
#include "json/place.h"
#include "json/strict.h"

Test(unknown, knows_what_is_alike)
{
	static const struct {
		const char *given, *known;
		enum json_alike want;
	} cases[] = {
	    {"scheduled_at", "scheduled_at", ALIKE_SAME},
	    {"scheduledAt", "scheduled_at", ALIKE_SAME},
	    {"SCHEDULED-AT", "scheduled_at", ALIKE_SAME},
	    {"_s_c_heduledat__", "scheduled_at", ALIKE_SAME},
	    {"CC", "cc", ALIKE_SAME},
	    {"c_c", "cc", ALIKE_SAME},
	    {"schedule_at", "scheduled_at", ALIKE_LETTER},
	    {"scheduleAt", "scheduled_at", ALIKE_LETTER},
	    {"scheduled_ats", "scheduled_at", ALIKE_LETTER},
	    {"xscheduled_at", "scheduled_at", ALIKE_LETTER},
	    {"schedulet_at", "scheduled_at", ALIKE_LETTER},
	    {"sch\xc3\xa9"
	     "duled_at",
		"scheduled_at", ALIKE_LETTER},
	    {"scheduled\xf0\x9f\x98\x80_at", "scheduled_at", ALIKE_NOT},
	    {"scheduled at", "scheduled_at", ALIKE_NOT},
	    {"html ", "html", ALIKE_NOT},
	    {"html5", "html", ALIKE_NOT},
	    {"htm1", "html", ALIKE_NOT},
	    {"scheduleat_", "scheduled_at", ALIKE_LETTER},
	    {"schedle_at", "scheduled_at", ALIKE_NOT},
	    {"secheduledd_at", "scheduled_at", ALIKE_NOT},
	    {"form", "from", ALIKE_NOT},
	    {"frm", "from", ALIKE_LETTER},
	    {"rom", "from", ALIKE_LETTER},
	    {"fro", "from", ALIKE_LETTER},
	    {"test", "text", ALIKE_LETTER},
	    {"tag", "tags", ALIKE_LETTER},
	    {"bc", "bcc", ALIKE_NOT},
	    {"to", "bcc", ALIKE_NOT},
	    {"cc", "bcc", ALIKE_NOT},
	    {"bcc", "cc", ALIKE_NOT},
	    {"too", "to", ALIKE_NOT},
	    {"a_b", "abc", ALIKE_NOT},
	    {"a_bcd", "abc", ALIKE_NOT},
	    {"", "from", ALIKE_NOT},
	    {"", "to", ALIKE_NOT},
	    {"colour", "from", ALIKE_NOT},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct json_folded given;
		json_alike_fold(cases[i].given, &given);
		enum json_alike got = json_alike(&given, cases[i].known);
		cr_expect_eq(got, cases[i].want, "%s, %s: got %d, want %d", cases[i].given,
		    cases[i].known, got, cases[i].want);
	}
}

static const struct json_field part_fields[] = {
    JSON_KNOWN("content"),
    JSON_KNOWN("content_type"),
};

static const struct json_field period_fields[] = {JSON_KNOWN("duration")};

static const struct json_field fields[] = {
    JSON_KNOWN("to"),
    JSON_KNOWN("text"),
    JSON_KNOWN("texts"),
    JSON_KNOWN("variables"),
    {.name = "parts",
	.type = FIELD_LIST,
	.elements = part_fields,
	.element_count = G_N_ELEMENTS(part_fields)},
    {.name = "period",
	.type = FIELD_OBJECT,
	.elements = period_fields,
	.element_count = G_N_ELEMENTS(period_fields)},
};

static const struct json_table table = JSON_TABLE(fields);

/* The error, else the list, else NULL. The caller owns it. */
static char *
json_unknown_judge(const char *text, bool refuse)
{
	AUTO(json) json = json_parse(text, strlen(text), NULL);
	struct json_unknown unknown = {.noun = "a field of this request", .refuse = refuse};
	g_autoptr(GError) error = NULL;

	cr_assert(json, "%s", text);
	bool good = json_unknown_check(json, &table, NULL, &unknown, &error);
	cr_expect_eq(good, !error);
	cr_expect(good || g_error_matches(error, PH_ERROR, PH_ERROR_INVALID));
	char *list = unknown.list ? g_string_free(unknown.list, false) : NULL;
	if (good)
		return list;
	g_free(list);
	return g_strdup(error->message);
}

Test(unknown, refuses_what_is_misspelled_and_lists_the_rest)
{
#define NO " is not a field of this request"
	static const struct {
		const char *text, *want, *want_refused; /* NULL: the same */
	} cases[] = {
	    {"{}", NULL, NULL},
	    {"{\"to\":1,\"text\":null,\"texts\":[],\"parts\":{},\"period\":[]}", NULL, NULL},
	    {"{\"colour\":1}", "colour", "colour" NO},
	    {"{\"colour\":null}", "colour", "colour" NO},
	    {"{\"b\":1,\"to\":2,\"a\":{\"Text\":1}}", "b, a", "b" NO},
	    {"{\"colour\":1,\"Text\":1}", "Text" NO "; did you mean text?", "colour" NO},
	    {"{\"TO\":1}", "TO" NO "; did you mean to?", NULL},
	    {"{\"tos\":1}", "tos", "tos" NO},
	    {"{\"test\":1}", "test" NO "; did you mean text?", NULL},
	    {"{\"te_xts\":1}", "te_xts" NO "; did you mean texts?", NULL},
	    {"{\"variables\":{\"Text\":1,\"x\":{\"parts\":1}}}", NULL, NULL},
	    {"{\"parts\":[{\"content\":1},{\"contentType\":1}],\"Text\":1}",
		"parts[1].contentType" NO "; did you mean content_type?", NULL},
	    {"{\"a\":1,\"parts\":[{\"size\":1},7,{\"x\":1}],\"b\":1}",
		"a, parts[0].size, parts[2].x, b", "a" NO},
	    {"{\"parts\":[[{\"size\":1}]]}", NULL, NULL},
	    {"{\"period\":{\"text\":1}}", "period.text", "period.text" NO},
	    {"{\"period\":{\"durations\":1}}", "period.durations" NO "; did you mean duration?",
		NULL},
	    {"{\"a b\":1,\"\xc3\xa9\":1,\"x,y\\r\\n\":1,\"-_.[]9\":1,\"\":1}",
		"a%20b, %C3%A9, x%2Cy%0D%0A, -_.[]9, %22%22", "a b" NO},
	    {"{\"a\\r\\n\\u001bb\":1}", "a%0D%0A%1Bb", "a   b" NO},
	    {"{\"to\":1,\"\":2}", "%22%22", "\"\"" NO},
	    {"{\"parts\":[{\"\":1}]}", "parts[0].%22%22", "parts[0].\"\"" NO},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = json_unknown_judge(cases[i].text, false);
		g_autofree char *refused = json_unknown_judge(cases[i].text, true);
		const char *want_refused =
		    cases[i].want_refused ? cases[i].want_refused : cases[i].want;

		cr_expect(g_strcmp0(got, cases[i].want) == 0, "%s: got %s, want %s", cases[i].text,
		    got, cases[i].want);
		cr_expect(g_strcmp0(refused, want_refused) == 0, "%s, refused: got %s, want %s",
		    cases[i].text, refused, want_refused);
	}
}

/* An object of so many members that nobody knows; last (may be "") stands behind them. */
static char *
strangers(guint count, const char *last)
{
	GString *text = g_string_new("{");

	for (guint i = 0; i < count; i++)
		g_string_append_printf(text, "%s\"x%u\":1", i > 0 ? "," : "", i);
	g_string_append_printf(text, "%s}", last);
	return g_string_free(text, false);
}

Test(unknown, lists_so_many)
{
	g_autofree char *most = strangers(LIMIT_IGNORED_MEMBERS, "");
	g_autofree char *more = strangers(LIMIT_IGNORED_MEMBERS + 1, "");
	g_autofree char *many = strangers(LIMIT_IGNORED_MEMBERS + 100, "");
	g_autofree char *listed = json_unknown_judge(most, false);
	g_autofree char *longer = json_unknown_judge(more, false);
	g_autofree char *longest = json_unknown_judge(many, false);
	g_autofree char *want = g_strconcat(listed, ", ...", NULL);

	cr_expect(g_str_has_suffix(listed, ", x18, x19"), "got %s", listed);
	cr_expect_str_eq(longer, want, "got %s", longer);
	cr_expect_str_eq(longest, want, "got %s", longest);
}

Test(unknown, cuts_long_names)
{
	static const struct {
		const char *name;
		guint letters; /* "x", in front of tail */
		const char *tail, *want_tail;
		guint want_letters;
	} cases[] = {
	    {"at the limit", 64, "", "", 64},
	    {"one past it", 65, "", "", 64},
	    {"an escape that fits", 61, " ", "%20", 61},
	    {"an escape that does not", 62, " ", "", 62},
	    {"what stands behind such a one", 62, " y", "", 62},
	    {"very long", 1000, "", "", 64},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *letters = g_strnfill(cases[i].letters, 'x');
		g_autofree char *text =
		    g_strdup_printf("{\"%s%s\":1,\"y\":1}", letters, cases[i].tail);
		g_autofree char *got = json_unknown_judge(text, false);
		letters[cases[i].want_letters] = '\0';
		g_autofree char *want = g_strconcat(letters, cases[i].want_tail, ", y", NULL);
		cr_expect_str_eq(got, want, "%s: got %s", cases[i].name, got);
	}
	cr_expect_eq(LIMIT_IGNORED_BYTES, 64);
}

Test(unknown, finds_a_misspelled_one_behind_a_million_others_at_once, .timeout = 900)
{
	g_autofree char *text = strangers(LIMIT_JSON_VALUES - 2, ",\"Text\":1");
	AUTO(json) json = json_parse(text, strlen(text), NULL);
	struct json_unknown unknown = {.noun = "a field of this request"};
	g_autoptr(GError) error = NULL;
	gint64 start = base_clock_thread_ns();

	cr_assert(json);
	cr_expect_not(json_unknown_check(json, &table, NULL, &unknown, &error));
	gint64 took = base_clock_thread_ns() - start;
	cr_expect(took < 5 * CLOCK_SECOND_NS, "it took %d ms", (int)(took / 1000000));
	cr_expect_str_eq(error->message, "Text" NO "; did you mean text?");
	cr_expect_eq(unknown.ignored, LIMIT_JSON_VALUES - 2);
	g_string_free(unknown.list, true);
}

Test(unknown, judges_single_names)
{
	static const char *const known[] = {"cursor", "to", NULL};
	static const struct {
		const char *name, *want;
	} cases[] = {
	    {"cursor", NULL},
	    {"Cursor", "Cursor is not a parameter of this request; did you mean cursor?"},
	    {"cursors", "cursors is not a parameter of this request; did you mean cursor?"},
	    {"limit", "limit"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct json_unknown unknown = {.noun = "a parameter of this request"};
		g_autoptr(GError) error = NULL;
		bool good = json_unknown_check_name(cases[i].name, known, &unknown, &error);
		const char *got = !good ? error->message : unknown.list ? unknown.list->str : NULL;
		cr_expect(g_strcmp0(got, cases[i].want) == 0, "%s: got %s", cases[i].name, got);
		if (unknown.list)
			g_string_free(unknown.list, true);
	}
	struct json_unknown unknown = {.noun = "a parameter of this request", .refuse = true};
	g_autoptr(GError) error = NULL;
	cr_expect_not(json_unknown_check_name("limit", NULL, &unknown, &error));
	cr_expect_str_eq(error->message, "limit is not a parameter of this request");
}
