/* SPDX-License-Identifier: MIT */
#include "content/variables.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/template.h"
#include "base/limits/unit.h"
#include "json/strict.h"
#include "json/value.h"
#include "template/template.h"
#include "template/value.h"

#define SHAPE " must be a string, a number or an object with value and default"

/* The value of a reference to x: a template's stored defaults, then the variables of a request. */
static const struct {
	const char *name, *stored, *given, *want; /* want "!...": an error */
} cases[] = {
    {"nothing", NULL, NULL, "[inline]"},
    {"null", NULL, "{\"x\": null}", "[inline]"},
    {"string", NULL, "{\"x\": \"a\"}", "[a]!"},
    {"empty string", NULL, "{\"x\": \"\"}", "[]"},
    {"integer", NULL, "{\"x\": 7}", "[7]!"},
    {"numbers as written", NULL, "{\"x\": 1.50}", "[1.50]!"},
    {"exponents as written", NULL, "{\"x\": 1e5}", "[1e5]!"},
    {"the largest integer", NULL, "{\"x\": 9223372036854775807}", "[9223372036854775807]!"},
    {"object with value", NULL, "{\"x\": {\"value\": \"v\"}}", "[v]!"},
    {"object with both", NULL, "{\"x\": {\"value\": \"v\", \"default\": \"d\"}}", "[v]!"},
    {"value null", NULL, "{\"x\": {\"value\": null, \"default\": \"d\"}}", "[d]!"},
    {"value absent", NULL, "{\"x\": {\"default\": 2.0}}", "[2.0]!"},
    {"value null alone", NULL, "{\"x\": {\"value\": null}}", "[inline]"},
    {"both null", NULL, "{\"x\": {\"value\": null, \"default\": null}}", "[inline]"},
    {"empty value", NULL, "{\"x\": {\"value\": \"\", \"default\": \"d\"}}", "[]"},
    {"stored default", "{\"x\": \"s\"}", NULL, "[s]!"},
    {"stored number", "{\"x\": 3.10}", NULL, "[3.10]!"},
    {"stored default, null given", "{\"x\": \"s\"}", "{\"x\": null}", "[s]!"},
    {"stored default, null value", "{\"x\": \"s\"}", "{\"x\": {\"value\": null}}", "[s]!"},
    {"given default before stored", "{\"x\": \"s\"}", "{\"x\": {\"default\": \"d\"}}", "[d]!"},
    {"value before stored", "{\"x\": \"s\"}", "{\"x\": \"v\"}", "[v]!"},
    {"another name", "{\"y\": \"s\"}", "{\"z\": \"v\"}", "[inline]"},
    {"not expanded again", NULL, "{\"x\": \"{{x}}\"}", "[{{x}}]!"},
    {"older shape, value", NULL, "{\"values\": {\"x\": \"v\"}, \"default_values\": {\"x\": \"d\"}}",
	"[v]!"},
    {"older shape, default", NULL, "{\"values\": {}, \"default_values\": {\"x\": 1.0}}", "[1.0]!"},
    {"older shape, null value", NULL,
	"{\"values\": {\"x\": null}, \"default_values\": {\"x\": \"d\"}}", "[d]!"},
    {"older shape, stored", "{\"x\": \"s\"}", "{\"values\": {}, \"default_values\": {}}", "[s]!"},
    {"older shape, object", NULL, "{\"values\": {\"x\": {}}, \"default_values\": {}}",
	"!variables.values.x" SHAPE},
    {"older shape, default object", NULL, "{\"values\": {}, \"default_values\": {\"x\": []}}",
	"!variables.default_values.x" SHAPE},
    {"variables of these names", NULL, "{\"values\": \"a\", \"default_values\": \"b\"}",
	"[inline]"},
    {"true", NULL, "{\"x\": true}", "[true]!"},
    {"false", NULL, "{\"x\": false}", "[false]"},
    {"zero", NULL, "{\"x\": 0.0}", "[0.0]"},
    {"zero as a text", NULL, "{\"x\": \"0\"}", "[0]!"},
    {"array", NULL, "{\"x\": [1, \"b\", null]}", "[]0=1;1=b;2=;!"},
    {"empty array", NULL, "{\"x\": []}", "[]"},
    {"object", NULL, "{\"x\": {\"z\": 1, \"a\": true}}", "[]z=1;a=true;!"},
    {"object with more than a value", NULL, "{\"x\": {\"value\": 1, \"other\": 2}}",
	"[]value=1;other=2;!"},
    {"object with a value in it", NULL, "{\"x\": [{\"value\": 1}]}", "[]0=;!"},
    {"value and default absent", NULL, "{\"x\": {}}", "[inline]!"},
    {"stored default, value and default absent", "{\"x\": \"s\"}", "{\"x\": {}}", "[s]!"},
    {"older shape with a third key", NULL, "{\"values\": {}, \"default_values\": {}, \"x\": 1}",
	"[1]!"},
    {"older shape, half of it", NULL, "{\"values\": {\"x\": 1}}", "[inline]"},
    {"boolean value", NULL, "{\"x\": {\"value\": true}}", "!variables.x" SHAPE},
    {"object as value", NULL, "{\"x\": {\"value\": {}}}", "!variables.x" SHAPE},
    {"array as default", NULL, "{\"x\": {\"value\": 1, \"default\": []}}", "!variables.x" SHAPE},
    {"line breaks in a name", NULL, "{\"a\\r\\nb\": {\"value\": true}}", "!variables.a  b" SHAPE},
    {"damaged store", "{\"x\"", NULL,
	"!stored variables is not valid JSON: unexpected end at byte 4"},
};

static char *
variables_render(struct content_variables *variables)
{
	static const char source[] =
	    "[{{ x|inline }}]{{#each x}}{{@key}}={{this}};{{/each}}{{#if x}}!{{/if}}";
	struct content_variables_values own = {variables, NULL};
	const struct template_values values = content_variables_values(&own);

	return template_render(
	    &(struct template_source){source, strlen(source), TEMPLATE_TEXT, "text"}, &values, NULL,
	    NULL);
}

static char *
variables_fill(const char *stored, const char *given, GError **error)
{
	AUTO(content_variables) variables = content_variables_parse(stored, error);
	AUTO(json) document = given ? json_parse(given, strlen(given), NULL) : NULL;

	cr_assert(!given || document, "%s", given);
	if (!variables || !content_variables_add(variables, document, error))
		return NULL;
	/* The stored form gives the same value. */
	g_autofree char *printed = content_variables_print(variables);
	AUTO(content_variables) again = content_variables_parse(printed, error);
	g_autofree char *first = variables_render(variables);
	char *second = again ? variables_render(again) : NULL;
	cr_expect_str_eq(second ? second : "", first, "%s", printed);
	return second;
}

Test(variables, are_given_defaulted_or_absent)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *filled = variables_fill(cases[i].stored, cases[i].given, &error);
		g_autofree char *got =
		    filled ? g_strdup(filled) : g_strdup_printf("!%s", error ? error->message : "");

		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

/* An object of count members. */
static char *
members(guint count)
{
	GString *text = g_string_new("{");

	for (guint i = 0; i < count; i++)
		g_string_append_printf(text, "%s\"v%u\": %u", i ? ", " : "", i, i);
	g_string_append_c(text, '}');
	return g_string_free(text, FALSE);
}

Test(variables, of_the_older_shape_have_the_same_limit)
{
	static const struct {
		guint values, defaults;
		const char *want;
	} limits[] = {
	    {LIMIT_VARIABLES, LIMIT_VARIABLES, NULL},
	    {LIMIT_VARIABLES + 1, 0, "variables.values must have at most 100 properties"},
	    {0, LIMIT_VARIABLES + 1, "variables.default_values must have at most 100 properties"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(limits); i++) {
		g_autofree char *values = members(limits[i].values);
		g_autofree char *defaults = members(limits[i].defaults);
		g_autofree char *text =
		    g_strdup_printf("{\"values\": %s, \"default_values\": %s}", values, defaults);
		AUTO(json) given = json_parse(text, strlen(text), NULL);
		AUTO(content_variables) variables = content_variables_new();
		g_autoptr(GError) error = NULL;

		bool done = content_variables_add(variables, given, &error);
		cr_expect_eq(
		    done, !limits[i].want, "%u and %u", limits[i].values, limits[i].defaults);
		cr_expect_str_eq(error ? error->message : "", limits[i].want ? limits[i].want : "");
	}
}

Test(variables, are_stored_sorted)
{
	static const char text[] = "{\"b\": 1.0, \"a\": \"x\\\"y\", \"c\": null}";
	AUTO(json) given = json_parse(text, strlen(text), NULL);
	AUTO(content_variables) variables = content_variables_new();

	cr_assert(content_variables_add(variables, given, NULL));
	g_autofree char *printed = content_variables_print(variables);
	cr_expect_str_eq(printed, "{\"a\":\"x\\\"y\",\"b\":1.0}");
}

struct resolving {
	const char *value;
	guint calls;
};

static struct content_variables_found
count_calls(const char *name, void *context)
{
	struct resolving *resolving = context;

	resolving->calls++;
	return (struct content_variables_found){
	    NULL, strcmp(name, "none") == 0 ? NULL : resolving->value};
}

/* A value may be large, and be referred to by each five bytes of a source. */
Test(variables, are_resolved_once_each)
{
	AUTO(content_variables) variables = content_variables_new();
	g_autofree char *value = g_strnfill(LIMIT_MIB, 'v');
	g_autoptr(GString) source = g_string_new("{{none}} {{none|x}}");
	struct resolving resolving = {value, 0};

	for (guint i = 0; i < 100000; i++)
		g_string_append(source, i % 2 ? "{{x}}" : "{{{ y|z }}}");
	cr_assert(content_variables_resolve(
	    variables, source->str, source->len, count_calls, &resolving, NULL));
	cr_expect_eq(resolving.calls, 3, "got %u", resolving.calls);
	cr_expect_str_eq(content_variables_text(variables, "x"), value);
	cr_expect_str_eq(content_variables_text(variables, "y"), value);
	cr_expect_not(content_variables_text(variables, "none"));
}
