/* SPDX-License-Identifier: MIT */
/* Tests the evaluation of rules. */
#include "automation/rules.h"

#include <criterion/criterion.h>
#include <string.h>

#include "json/strict.h"
#include "json/value.h"

static struct json *
rules_parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct json *json = json_parse(text, strlen(text), &error);

	cr_assert(json, "%s: %s", text, error ? error->message : "");
	return json;
}

/* Evaluates one rule on a property p with this value (NULL: missing). */
static bool
rules_holds(const char *property, const char *relation, const char *value)
{
	g_autofree char *contact =
	    property ? g_strdup_printf("{\"p\": %s}", property) : g_strdup("{}");
	g_autofree char *rules =
	    g_strdup_printf("{\"rules\": [{\"property\": \"p\", \"operator\": \"%s\"%s%s}]}",
		relation, value ? ", \"value\": " : "", value ? value : "");
	AUTO(json) contact_json = rules_parse(contact);
	AUTO(json) rules_json = rules_parse(rules);
	const struct automation_rules_scope scope = {.contact = contact_json};
	g_autoptr(GError) error = NULL;
	AUTO(automation_rules) read = automation_rules_read(rules_json, NULL, &error);

	cr_assert(read, "%s: %s", rules, error ? error->message : "");
	return automation_rules_hold(read, &scope, NULL);
}

/* Tests an operator and its complement on the same values. */
static void
rules_expect(const char *property, const char *relation, const char *complement, const char *value,
    bool want)
{
	bool got = rules_holds(property, relation, value);

	cr_expect_eq(got, want, "%s %s %s: got %d, want %d", property, relation, value, got, want);
	if (!complement)
		return;
	got = rules_holds(property, complement, value);
	cr_expect_eq(
	    got, !want, "%s %s %s: got %d, want %d", property, complement, value, got, !want);
}

Test(rules, compare_every_pair_of_types)
{
	/* order: - less, = equal, + greater, ! cannot be compared */
	static const struct {
		const char *property, *value;
		char order;
	} cases[] = {
	    {"5", "5", '='},
	    {"5", "6", '-'},
	    {"6", "5", '+'},
	    {"10", "9", '+'},
	    {"-1", "0", '-'},
	    {"-2", "-1", '-'},
	    {"-10", "-9", '-'},
	    {"0", "-0.0", '='},
	    {"5", "5.0", '='},
	    {"1.5", "1.50", '='},
	    {"100", "1e2", '='},
	    {"1.4", "1.5", '-'},
	    {"1e3", "999", '+'},
	    /* numeric strings are numbers */
	    {"\"5\"", "5", '='},
	    {"5", "\"5\"", '='},
	    {"\"10\"", "9", '+'},
	    {"\"10\"", "\"9\"", '+'},
	    {"\"1.0\"", "\"1\"", '='},
	    {"\"-3\"", "2", '-'},
	    {"\"1e2\"", "100", '='},
	    {"\"-0\"", "0", '='},
	    {"9007199254740993", "9007199254740992", '+'},
	    {"9223372036854775807", "9223372036854775806", '+'},
	    {"\"123456789012345678901234567890\"", "\"123456789012345678901234567891\"", '-'},
	    {"\"-123456789012345678901234567890\"", "\"-123456789012345678901234567891\"", '+'},
	    {"\"123456789012345678901234567890\"", "5", '+'},
	    /* a text that is no JSON number is a string */
	    {"\"007\"", "\"7\"", '-'},
	    {"\"007\"", "7", '!'},
	    {"\"+5\"", "5", '!'},
	    {"\" 5\"", "5", '!'},
	    {"\"5 \"", "5", '!'},
	    {"\"5.\"", "5", '!'},
	    {"\".5\"", "0.5", '!'},
	    {"\"0x10\"", "16", '!'},
	    {"\"\"", "0", '!'},
	    {"\"-\"", "0", '!'},
	    {"\"1e\"", "1", '!'},
	    {"\"1e999\"", "1", '!'},
	    {"\"1e999\"", "\"1e998\"", '+'},
	    {"\"inf\"", "1", '!'},
	    {"\"nan\"", "\"nan\"", '='},
	    {"\"5\\u0000\"", "5", '!'},
	    /* strings, byte by byte */
	    {"\"pro\"", "\"pro\"", '='},
	    {"\"Pro\"", "\"pro\"", '-'},
	    {"\"pro\"", "\"pro \"", '-'},
	    {"\"b\"", "\"a\"", '+'},
	    {"\"abc\"", "\"ab\"", '+'},
	    {"\"\"", "\"a\"", '-'},
	    {"\"\"", "\"\"", '='},
	    {"\"\\u00e9\"", "\"z\"", '+'},
	    {"\"\\u00e9\"", "\"e\\u0301\"", '+'},
	    {"\"a\\u0000b\"", "\"a\"", '+'},
	    {"\"2026-01-02T00:00:00Z\"", "\"2026-01-10T00:00:00Z\"", '-'},
	    {"\"2026-11-20\"", "\"2026-11-19T23:59:59Z\"", '+'},
	    {"\"10 apples\"", "\"9 apples\"", '-'},
	    {"\"10\"", "\"9 apples\"", '-'},
	    /* true and false */
	    {"true", "true", '='},
	    {"false", "false", '='},
	    {"true", "false", '!'},
	    {"false", "true", '!'},
	    /* unlike types */
	    {"true", "1", '!'},
	    {"true", "\"true\"", '!'},
	    {"1", "true", '!'},
	    {"\"true\"", "true", '!'},
	    {"false", "0", '!'},
	    {"false", "\"\"", '!'},
	    {"5", "\"five\"", '!'},
	    {"\"five\"", "5", '!'},
	    {"[]", "\"\"", '!'},
	    {"[5]", "5", '!'},
	    {"[\"pro\"]", "\"pro\"", '!'},
	    {"{}", "\"\"", '!'},
	    {"{\"a\": 5}", "5", '!'},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *property = cases[i].property, *value = cases[i].value;

		rules_expect(property, "equals", "not_equals", value, cases[i].order == '=');
		rules_expect(property, "greater_than", NULL, value, cases[i].order == '+');
		rules_expect(property, "less_than", NULL, value, cases[i].order == '-');
	}
}

Test(rules, look_into_texts_and_arrays)
{
	static const struct {
		const char *property, *value;
		bool contains, begins, ends;
	} cases[] = {
	    {"\"abcabc\"", "\"abc\"", true, true, true},
	    {"\"abcd\"", "\"abc\"", true, true, false},
	    {"\"xabc\"", "\"abc\"", true, false, true},
	    {"\"xabcx\"", "\"abc\"", true, false, false},
	    {"\"abc\"", "\"abc\"", true, true, true},
	    {"\"ab\"", "\"abc\"", false, false, false},
	    {"\"ABC\"", "\"abc\"", false, false, false},
	    {"\"abc\"", "\"\"", true, true, true},
	    {"\"\"", "\"\"", true, true, true},
	    {"\"\"", "\"a\"", false, false, false},
	    {"\"a\\u0000b\"", "\"b\"", true, false, true},
	    {"\"na\\u00efve\"", "\"\\u00ef\"", true, false, false},
	    /* numbers by their texts */
	    {"4912345", "49", true, true, false},
	    {"4912345", "\"45\"", true, false, true},
	    {"\"4912345\"", "45", true, false, true},
	    {"1.50", "\"1.50\"", true, true, true},
	    {"1.5", "\"1.50\"", false, false, false},
	    /* arrays by equal elements */
	    {"[\"a\", \"b\"]", "\"a\"", true, false, false},
	    {"[\"a\", \"b\"]", "\"c\"", false, false, false},
	    {"[\"abc\"]", "\"b\"", false, false, false},
	    {"[1, 2]", "2.0", true, false, false},
	    {"[1, 2]", "\"2\"", true, false, false},
	    {"[true]", "true", true, false, false},
	    {"[true]", "\"true\"", false, false, false},
	    {"[null]", "\"\"", false, false, false},
	    {"[[\"a\"]]", "\"a\"", false, false, false},
	    {"[]", "\"\"", false, false, false},
	    /* values without text or elements */
	    {"true", "\"true\"", false, false, false},
	    {"\"true\"", "true", false, false, false},
	    {"{\"a\": 1}", "\"a\"", false, false, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *property = cases[i].property, *value = cases[i].value;

		rules_expect(property, "contains", "not_contains", value, cases[i].contains);
		rules_expect(property, "begins_with", NULL, value, cases[i].begins);
		rules_expect(property, "ends_with", NULL, value, cases[i].ends);
	}
}

Test(rules, take_missing_and_null_for_nothing)
{
	static const char *const nothing[] = {NULL, "null"};
	static const char *const values[] = {"\"\"", "\"null\"", "0", "false", "\"a\""};
	static const char *const fail[] = {
	    "equals", "greater_than", "less_than", "contains", "begins_with", "ends_with"};

	for (gsize i = 0; i < G_N_ELEMENTS(nothing); i++) {
		for (gsize j = 0; j < G_N_ELEMENTS(values); j++) {
			for (gsize k = 0; k < G_N_ELEMENTS(fail); k++)
				rules_expect(nothing[i], fail[k], NULL, values[j], false);
			rules_expect(nothing[i], "not_equals", NULL, values[j], true);
			rules_expect(nothing[i], "not_contains", NULL, values[j], true);
		}
		rules_expect(nothing[i], "exists", "not_exists", NULL, false);
	}
}

Test(rules, ask_whether_something_is_there)
{
	static const char *const there[] = {"0", "\"\"", "false", "[]", "{}", "\"a\"", "[null]"};

	for (gsize i = 0; i < G_N_ELEMENTS(there); i++) {
		rules_expect(there[i], "exists", "not_exists", NULL, true);
		rules_expect(there[i], "exists", "not_exists", "\"ignored\"", true);
	}
}

#define CONTACT                                                                                    \
	"{\"plan\": \"pro\", \"age\": 30, \"address\": {\"city\": \"Rome\", \"geo\": {\"x\": 1}}," \
	"\"tags\": [\"a\", {\"name\": \"b\"}], \"a.b\": 7, \"address.zip\": \"00100\","            \
	"\"event\": {\"amount\": 1}, \"none\": null, \"last_name\": \"Own\"}"
#define EVENT "{\"amount\": 20, \"items\": [{\"price\": 5}], \"plan\": \"free\"}"
#define FIELDS "{\"email\": \"a@x.org\", \"first_name\": \"Ada\", \"last_name\": \"B\"}"

#define RULE(property, relation, value)                                                            \
	"{\"property\": \"" property "\", \"operator\": \"" relation "\", \"value\": " value "}"
#define EQUALS(property, value) RULE(property, "equals", value)
#define VAR(path) "{\"var\": \"" path "\"}"
#define ALL(rules) "{\"match\": \"all\", \"rules\": [" rules "]}"
#define ANY(rules) "{\"match\": \"any\", \"rules\": [" rules "]}"
#define YES EQUALS("plan", "\"pro\"")
#define NO EQUALS("plan", "\"free\"")

/* Nested rules, with the reason. */
Test(rules, go_into_depth)
{
	static const struct {
		const char *rules;
		bool want;
		const char *why;
	} cases[] = {
	    /* paths of properties */
	    {ALL(EQUALS("address.city", "\"Rome\"")), true,
		"address.city is \"Rome\": it equals \"Rome\""},
	    {ALL(EQUALS("address.geo.x", "1")), true, "address.geo.x is 1: it equals 1"},
	    {ALL(EQUALS("address.geo.y", "1")), false, "address.geo.y is missing"},
	    {ALL(EQUALS("address.city.x", "1")), false, "address.city.x is missing"},
	    {ALL(EQUALS("none", "1")), false, "none is missing"},
	    {ALL(EQUALS("none.x", "1")), false, "none.x is missing"},
	    {ALL(EQUALS("plan.", "\"pro\"")), false, "plan. is missing"},
	    {ALL(EQUALS("a.b", "7")), true, "a.b is 7: it equals 7"},
	    {ALL(EQUALS("address.zip", "\"00100\"")), true,
		"address.zip is \"00100\": it equals \"00100\""},
	    {ALL(EQUALS("tags.0", "\"a\"")), true, "tags.0 is \"a\": it equals \"a\""},
	    {ALL(EQUALS("tags.1.name", "\"b\"")), true, "tags.1.name is \"b\": it equals \"b\""},
	    {ALL(EQUALS("tags.2", "\"a\"")), false, "tags.2 is missing"},
	    {ALL(EQUALS("tags.-1", "\"a\"")), false, "tags.-1 is missing"},
	    {ALL(EQUALS("tags.x", "\"a\"")), false, "tags.x is missing"},
	    {ALL(EQUALS("event.amount", "20")), true, "event.amount is 20: it equals 20"},
	    {ALL(EQUALS("event.items.0.price", "5")), true,
		"event.items.0.price is 5: it equals 5"},
	    {ALL(EQUALS("event.age", "30")), false, "event.age is missing"},
	    {ALL(EQUALS("event.plan", "\"free\"")), true,
		"event.plan is \"free\": it equals \"free\""},
	    {ALL(EQUALS("event", "1")), false, "event is {\"amount\":1}: it does not equal 1"},
	    {ALL(RULE("plan", "not_equals", "\"pro\"")), false,
		"plan is \"pro\": it equals \"pro\""},
	    {ALL(RULE("plan", "not_exists", "1")), false, "plan is \"pro\""},
	    /* fields of the contact, behind properties of their names */
	    {ALL(EQUALS("contact.email", "\"a@x.org\"")), true,
		"contact.email is \"a@x.org\": it equals \"a@x.org\""},
	    {ALL(EQUALS("contact.first_name", "\"Ada\"")), true,
		"contact.first_name is \"Ada\": it equals \"Ada\""},
	    {ALL(EQUALS("contact.last_name", "\"Own\"")), true,
		"contact.last_name is \"Own\": it equals \"Own\""},
	    {ALL(EQUALS("contact.plan", "\"pro\"")), false, "contact.plan is missing"},
	    {ALL(EQUALS("first_name", "\"Ada\"")), false, "first_name is missing"},
	    /* all, any, nested */
	    {ALL(""), true, "there are no rules"},
	    {ANY(""), true, "there are no rules"},
	    {"{\"rules\": [" YES ", " NO "]}", false,
		"plan is \"pro\": it does not equal \"free\""},
	    {ALL(YES ", " YES), true, "all 2 rules hold"},
	    {ALL(YES ", " NO), false, "plan is \"pro\": it does not equal \"free\""},
	    {ALL(NO ", " YES), false, "plan is \"pro\": it does not equal \"free\""},
	    {ANY(NO ", " YES), true, "plan is \"pro\": it equals \"pro\""},
	    {ANY(YES ", " NO), true, "plan is \"pro\": it equals \"pro\""},
	    {ANY(NO ", " NO), false, "none of 2 rules holds"},
	    {ANY(NO), false, "plan is \"pro\": it does not equal \"free\""},
	    {ALL(YES ", " ANY(NO ", " YES)), true, "all 2 rules hold"},
	    {ALL(YES ", " ANY(NO ", " NO)), false, "none of 2 rules holds"},
	    {ANY(ALL(YES ", " NO) ", " ALL(YES ", " YES)), true, "all 2 rules hold"},
	    {ANY(ALL(YES ", " NO) ", " ALL(NO)), false, "none of 2 rules holds"},
	    {ALL(ALL(ALL(ANY(YES)))), true, "plan is \"pro\": it equals \"pro\""},
	    /* values of properties; "event." is the event that started the execution */
	    {ALL(EQUALS("event.amount", VAR("event.amount"))), false,
		"event.amount is 20: it does not equal event.amount, which is 21"},
	    {ALL(RULE("event.amount", "less_than", VAR("event.amount"))), true,
		"event.amount is 20: it is less than event.amount, which is 21"},
	    {ALL(RULE("age", "greater_than", VAR("event.amount"))), true,
		"age is 30: it is greater than event.amount, which is 21"},
	    {ALL(EQUALS("plan", VAR("contact.first_name"))), false,
		"plan is \"pro\": it does not equal contact.first_name, which is \"Ada\""},
	    {ALL(EQUALS("plan", VAR("plan"))), true,
		"plan is \"pro\": it equals plan, which is \"pro\""},
	    {ALL(EQUALS("plan", VAR("gone"))), false,
		"plan is \"pro\": it does not equal gone, which is missing"},
	    {ALL(RULE("plan", "not_equals", VAR("gone"))), true,
		"plan is \"pro\": it does not equal gone, which is missing"},
	    {ALL(RULE("plan", "not_contains", VAR("none"))), true,
		"plan is \"pro\": it does not contain none, which is missing"},
	    {ALL(RULE("plan", "begins_with", VAR("tags"))), false,
		"plan is \"pro\": it does not begin with tags, which is missing"},
	};
	AUTO(json) contact = rules_parse(CONTACT);
	AUTO(json) event = rules_parse(EVENT);
	AUTO(json) fields = rules_parse(FIELDS);
	AUTO(json) started = rules_parse("{\"amount\": 21}");
	const struct automation_rules_scope scope = {contact, event, fields, NULL, started};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(json) json = rules_parse(cases[i].rules);
		g_autoptr(GError) error = NULL;
		AUTO(automation_rules) rules = automation_rules_read(json, NULL, &error);
		g_autoptr(GString) why = g_string_new(NULL);

		cr_assert(rules, "%s: %s", cases[i].rules, error ? error->message : "");
		bool got = automation_rules_hold(rules, &scope, why);
		cr_expect_eq(got, cases[i].want, "%s: got %d", cases[i].rules, got);
		cr_expect_str_eq(why->str, cases[i].why, "%s:\n got %s\nwant %s", cases[i].rules,
		    why->str, cases[i].why);
		cr_expect_eq(automation_rules_hold(rules, &scope, NULL), got);
	}
}
