/* SPDX-License-Identifier: MIT */
#include "template/template.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/template.h"
#include "base/limits/unit.h"
#include "template/value.h"

#define NAME_100                                                                                   \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"                                       \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"

static const char *
template_look_up(const char *name, void *context)
{
	static const struct {
		const char *name;
		const char *value;
	} values[] = {
	    {"name", "Zoë"},
	    {"a.b-c_9", "odd"},
	    {"html", "<b>\"R&D\" 'x'</b>"},
	    {"self", "{{self}} {{name}}"},
	    {"empty", ""},
	    {"lines", "a\r\nBcc: x@y.z\x1b\x7f"},
	    {"wide", "a\xc2\x85"
		     "b\xe2\x80\xa8"
		     "c\xe2\x80\xa9"
		     "d\xc2\xa0"
		     "e"},
	    {NAME_100, "long"},
	};

	(void)context;
	for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
		if (strcmp(values[i].name, name) == 0)
			return values[i].value;
	return NULL;
}

static struct template_value
template_variable(const char *name, void *context)
{
	const char *text = template_look_up(name, context);

	return (struct template_value){text ? VALUE_TEXT : VALUE_NONE, text, NULL, 0};
}

static const struct template_values values = {.variable = template_variable};

static char *
mail_template_render(
    const char *source, gsize size, enum template_kind kind, gsize *size_r, GError **error)
{
	return template_render(
	    &(struct template_source){source, size, kind, "html"}, &values, size_r, error);
}

static char *
template_render_plain(const char *source, gsize size, enum template_kind kind, gsize *size_r)
{
	return template_plain_render(&(struct template_source){source, size, kind, NULL},
	    template_look_up, NULL, size_r, NULL);
}

/* Both renderers take references alike. */
Test(template, puts_values_in_the_place_of_references)
{
	static const struct {
		const char *source;
		enum template_kind kind;
		const char *want;
	} cases[] = {
	    {"", TEMPLATE_HTML, ""},
	    {"no references", TEMPLATE_HTML, "no references"},
	    {"{{name}}", TEMPLATE_HTML, "Zoë"},
	    {"{{ name }}", TEMPLATE_HTML, "Zoë"},
	    {"{{\tname \t}}", TEMPLATE_HTML, "Zoë"},
	    {"{{{name}}}", TEMPLATE_HTML, "Zoë"},
	    {"{{{ name }}}", TEMPLATE_HTML, "Zoë"},
	    {"a{{name}}b{{name}}c", TEMPLATE_HTML, "aZoëbZoëc"},
	    {"{{name}}{{name}}", TEMPLATE_HTML, "ZoëZoë"},
	    {"{{a.b-c_9}}", TEMPLATE_HTML, "odd"},
	    {"{{" NAME_100 "}}", TEMPLATE_HTML, "long"},
	    {"{{" NAME_100 "n}}", TEMPLATE_HTML, "{{" NAME_100 "n}}"},
	    {"{{Name}}", TEMPLATE_HTML, ""},
	    /* escaping */
	    {"{{html}}", TEMPLATE_HTML, "&lt;b&gt;&quot;R&amp;D&quot; &#39;x&#39;&lt;/b&gt;"},
	    {"{{{html}}}", TEMPLATE_HTML, "<b>\"R&D\" 'x'</b>"},
	    {"{{html}}", TEMPLATE_TEXT, "<b>\"R&D\" 'x'</b>"},
	    {"{{{html}}}", TEMPLATE_TEXT, "<b>\"R&D\" 'x'</b>"},
	    {"{{html}}", TEMPLATE_HEADER, "<b>\"R&D\" 'x'</b>"},
	    /* headers */
	    {"Hi {{lines}}!", TEMPLATE_HEADER, "Hi a  Bcc: x@y.z  !"},
	    {"{{{lines}}}", TEMPLATE_HEADER, "a  Bcc: x@y.z  "},
	    {"{{lines}}", TEMPLATE_TEXT, "a\r\nBcc: x@y.z\x1b\x7f"},
	    {"{{wide}}", TEMPLATE_HEADER,
		"a b c d\xc2\xa0"
		"e"},
	    /* fallbacks */
	    {"{{none|you}}", TEMPLATE_HTML, "you"},
	    {"{{{none|you}}}", TEMPLATE_HTML, "you"},
	    {"{{ none | dear you }}", TEMPLATE_HTML, "dear you"},
	    {"{{none|}}", TEMPLATE_HTML, ""},
	    {"{{none|  }}", TEMPLATE_HTML, ""},
	    {"{{none|a|b}}", TEMPLATE_HTML, "a|b"},
	    {"{{none|<b>&</b>}}", TEMPLATE_HTML, "<b>&</b>"},
	    {"{{none|a{b}c}}", TEMPLATE_HTML, "a{b}c"},
	    {"{{none|a}}}", TEMPLATE_HTML, "a}"},
	    {"{{name|you}}", TEMPLATE_HTML, "Zoë"},
	    {"{{empty|you}}", TEMPLATE_HTML, ""},
	    {"{{none}}", TEMPLATE_HTML, ""},
	    {"{{none|a\nb}}", TEMPLATE_HTML, "{{none|a\nb}}"},
	    {"{{none|{{name}}}}", TEMPLATE_HTML, "{{none|Zoë}}"},
	    /* once */
	    {"{{self}}", TEMPLATE_TEXT, "{{self}} {{name}}"},
	    {"{{none|{}}{name}}", TEMPLATE_TEXT, "{{name}}"},
	    /* braces that are none */
	    {"@media x{a{b:c}}", TEMPLATE_HTML, "@media x{a{b:c}}"},
	    {"a{b:{{name}}}", TEMPLATE_HTML, "a{b:Zoë}"},
	    {"{{{name}}", TEMPLATE_HTML, "{Zoë"},
	    {"{{name}}}", TEMPLATE_HTML, "Zoë}"},
	    {"{{{{name}}}}", TEMPLATE_HTML, "{Zoë}"},
	    {"{{{none|{}}}", TEMPLATE_HTML, "{"},
	    {"{{}}", TEMPLATE_HTML, "{{}}"},
	    {"{{ }}", TEMPLATE_HTML, "{{ }}"},
	    {"{{|x}}", TEMPLATE_HTML, "{{|x}}"},
	    {"{{a b}}", TEMPLATE_HTML, "{{a b}}"},
	    {"{{#if name}}x", TEMPLATE_HTML, "{{#if name}}x"},
	    {"{{naïve}}", TEMPLATE_HTML, "{{naïve}}"},
	    {"{{\nname\n}}", TEMPLATE_HTML, "{{\nname\n}}"},
	    {"{{name}", TEMPLATE_HTML, "{{name}"},
	    {"{{name", TEMPLATE_HTML, "{{name"},
	    {"{{name|x", TEMPLATE_HTML, "{{name|x"},
	    {"{{name|", TEMPLATE_HTML, "{{name|"},
	    {"{{", TEMPLATE_HTML, "{{"},
	    {"{{{", TEMPLATE_HTML, "{{{"},
	    {"{", TEMPLATE_HTML, "{"},
	    {"{{name{{name}}", TEMPLATE_HTML, "{{nameZoë"},
	    {"{ {name}}", TEMPLATE_HTML, "{ {name}}"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		gsize size = 0;
		g_autofree char *got = mail_template_render(
		    cases[i].source, strlen(cases[i].source), cases[i].kind, &size, NULL);
		g_autofree char *plain = template_render_plain(
		    cases[i].source, strlen(cases[i].source), cases[i].kind, NULL);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].source, got, cases[i].want);
		cr_expect_str_eq(plain, cases[i].want, "%s, plain: got %s, want %s",
		    cases[i].source, plain, cases[i].want);
		cr_expect_eq(size, strlen(cases[i].want), "%s: size %zu", cases[i].source, size);
	}
}

Test(template, keeps_every_byte_that_is_no_reference)
{
	static const char source[] = "a\0\xff\r\n{{name}}\0b";
	static const char want[] = "a\0\xff\r\nZo\xc3\xab\0b";
	gsize size;
	g_autofree char *got =
	    mail_template_render(source, sizeof(source) - 1, TEMPLATE_TEXT, &size, NULL);

	cr_assert_eq(size, sizeof(want) - 1, "got %zu", size);
	cr_assert(memcmp(got, want, sizeof(want)) == 0);
}

Test(template, reads_no_further_than_the_size_it_was_given)
{
	gsize size;
	/* Exactly in its allocation, so that a read past the end is seen by the sanitizer. */
	static const char *const sources[] = {"{{name}}", "{{{name}", "{{x|y}}", "{{", "{{{",
	    "{{#if x}}", "{{> x}}", "{{!-- x --}}", "{{~{x}~}}", "{{date x \"%Y\" zone=\"UTC\"}}",
	    "{{else if x}}", "{{/each}}", "{{@root.x}}", "{{../x}}"};

	for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
		for (gsize cut = 0; cut < strlen(sources[i]); cut++) {
			g_autofree char *source = g_memdup2(sources[i], cut);
			g_autofree char *got =
			    mail_template_render(source, cut, TEMPLATE_TEXT, &size, NULL);
			cr_expect(size == cut && strncmp(got, sources[i], cut) == 0,
			    "%s cut at %zu: got %s", sources[i], cut, got);
			template_check(source, cut, NULL);
		}
	}
}

Test(template, checks_what_is_stored)
{
	static const struct {
		const char *source;
		const char *want; /* NULL: it is good */
	} cases[] = {
	    {"", NULL},
	    {"{{name}} {{ name|x }} {{{name}}}", NULL},
	    {"@media x{a{b:c}}", NULL},
	    {"a } }} }}} b", NULL},
	    {"{ { {", NULL},
	    {"{{" NAME_100 "}}", NULL},
	    {"{{" NAME_100 "n}}", "line 1: the name of a variable is longer than 100 characters"},
	    {"{{}}", "line 1: \"{{\" is not followed by the name of a variable"},
	    {"a\nb\n{{", "line 3: \"{{\" is not followed by the name of a variable"},
	    {"{{name}}\n{{#if}}", "line 2: a block has no variable behind its name"},
	    {"{{#if a}}{{else if b}}{{else}}{{/if}}{{#unless a}}{{/unless}}", NULL},
	    {"{{#each a}}{{this}}{{../x}}{{@index}}{{@root.x}}{{else}}{{/each}}", NULL},
	    {"{{! x }}{{!-- {{x}} --}}{{~ x ~}}{{~#if x~}}{{~/if~}}{{> a-B_9}}", NULL},
	    {"{{upper x}}{{default x \"{{}}\"}}{{number x}}{{number x 6 language='de'}}", NULL},
	    {"{{date x '%e %B' zone=\"Europe/Berlin\" language=\"fr\"}}", NULL},
	    {"{{upper}} {{date}} {{else}} {{this}} {{date|x}} {{url}} {{url|x}}", NULL},
	    {"{{url x}} {{{url x}}}", NULL},
	    {"{{url x y}}", "line 1: a filter has an argument that it does not take"},
	    {"\\{{name}} \\{{{name}}} \\\\{{name}}", NULL},
	    {"\\{{#with a b}} \\{{&x}} \\{{/x}}", NULL},
	    {"\\{{#if a}}", NULL},
	    {"a\n\\\\{{#if a}}", "line 2: \"{{#if\" is not closed by \"{{/if}}\""},
	    {"\\\\{{&x}}", "line 1: \"{{\" is not followed by the name of a variable"},
	    {"\\{{ & \n}}", "line 1: \"{{\" is not followed by the name of a variable"},
	    {"\\{{ & {{x}}", "line 1: \"{{\" is not followed by the name of a variable"},
	    {"a\n{{#if a}}\nb", "line 2: \"{{#if\" is not closed by \"{{/if}}\""},
	    {"{{#each a}}{{#if b}}{{/each}}", "line 1: \"{{/each}}\" closes no \"{{#each\""},
	    {"{{/unless}}", "line 1: \"{{/unless}}\" closes no \"{{#unless\""},
	    {"{{else if x}}", "line 1: \"{{else if\" stands in no block"},
	    {"{{#if a}}\n{{else}}{{else}}{{/if}}", "line 2: a block has \"{{else}}\" twice"},
	    {"{{#with a}}{{/with}}", "line 1: \"{{#\" is not followed by if, unless or each"},
	    {"{{#if a b}}{{/if}}", "line 1: a tag has more than it may have in front of \"}}\""},
	    {"{{!-- x }}", "line 1: \"{{!--\" is not closed by \"--}}\""},
	    {"{{! x", "line 1: \"{{!\" is not closed by \"}}\""},
	    {"{{> a.b}}", "line 1: a tag has more than it may have in front of \"}}\""},
	    {"{{>}}", "line 1: \"{{>\" is not followed by the id of a template"},
	    {"{{@foo}}", "line 1: \"@\" is not followed by root, index, key, first or last"},
	    {"{{upper x y}}", "line 1: a filter has an argument that it does not take"},
	    {"{{default x}}", "line 1: default takes a text in quotes"},
	    {"{{number x 7}}", "line 1: number takes 0 to 6 decimals"},
	    {"{{number x 12}}", "line 1: number takes 0 to 6 decimals"},
	    {"{{number x language=de}}", "line 1: the value of an option is not in quotes"},
	    {"{{number x language=\"it\"}}",
		"line 1: language must be one of \"en\", \"de\", \"fr\", \"es\" and \"pt\""},
	    {"{{date x}}", "line 1: date takes a format in quotes"},
	    {"{{date x \"%y\"}}",
		"line 1: the format of date has only %Y %m %d %e %H %M %S %B %b %A %a and %%"},
	    {"{{date x \"\" zone=\"Europe/Nowhere\"}}", "line 1: zone must be an IANA time zone"},
	    {"{{date x \"\" zone=\"../etc/passwd\"}}", "line 1: zone must be an IANA time zone"},
	    {"{{{{name}}}}", "line 1: \"{{\" is not followed by the name of a variable"},
	    {"{{first name}}",
		"line 1: names of variables are letters, digits, \"_\", \".\" and \"-\""},
	    {"{{naïve}}", "line 1: names of variables are letters, digits, \"_\", \".\" and \"-\""},
	    {"{{name}", "line 1: \"{{\" is not closed by \"}}\" on its line"},
	    {"{{name", "line 1: \"{{\" is not closed by \"}}\" on its line"},
	    {"{{name\n}}", "line 1: \"{{\" is not closed by \"}}\" on its line"},
	    {"{{name|a\nb}}", "line 1: \"{{\" is not closed by \"}}\" on its line"},
	    {"{{name|{{name}}}}", "line 1: \"{{\" is not closed by \"}}\" on its line"},
	    {"{{{name}}", "line 1: \"{{{\" is not closed by \"}}}\" on its line"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		bool got = template_check(cases[i].source, strlen(cases[i].source), &error);
		cr_expect_eq(got, cases[i].want == NULL, "%s: got %d", cases[i].source, got);
		cr_expect_str_eq(error ? error->message : "", cases[i].want ? cases[i].want : "",
		    "%s: got %s, want %s", cases[i].source, error ? error->message : "nothing",
		    cases[i].want);
		if (error)
			cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID));
	}
}

Test(template, tells_what_is_in_it)
{
	static const struct {
		const char *source;
		bool has_tags, is_plain;
	} cases[] = {
	    {"", false, true},
	    {"{{", false, true},
	    {"{{#if", false, true},
	    {"@media x{a{b:c}}", false, true},
	    {"{{x}}", true, true},
	    {"{{{x}}", true, true},
	    {"{{else}} {{x|y}}", true, true},
	    {"{{}} {{!}}", true, false},
	    {"{{#if x}}", true, false},
	    {"{{x}} {{~y}}", true, false},
	    {"{{@index}}", true, false},
	    {"{{upper x}}", true, false},
	    {"\\{{x}}", true, false},
	    {"\\{{x", false, true},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *source = cases[i].source;
		bool has_tags = template_has_tags(source, strlen(source));
		bool is_plain = template_is_plain(source, strlen(source));
		cr_expect_eq(has_tags, cases[i].has_tags, "%s: has tags: %d", source, has_tags);
		cr_expect_eq(is_plain, cases[i].is_plain, "%s: is plain: %d", source, is_plain);
	}
}

/* A source that nobody checked. */
Test(template, leaves_what_is_no_block_as_it_is)
{
	static const struct {
		const char *source, *want;
	} cases[] = {
	    {"{{#if name}}a", "{{#if name}}a"},
	    {"{{#if name}}a{{else}}b", "{{#if name}}ab"},
	    {"a{{/if}}b{{else if name}}", "a{{/if}}b{{else if name}}"},
	    {"{{#if name}}{{#each x}}a{{/if}}", "{{#each x}}a"},
	    {"{{#if none}}{{#each x}}a{{/if}}b", "b"},
	    {"{{/each}}{{#if name}}a{{/if}}", "{{/each}}a"},
	    {"{{> x}} {{#with a}} {{@foo}}", "{{> x}} {{#with a}} {{@foo}}"},
	    {"{{! a }}{{!-- b", "{{!-- b"},
	    {"{{date name \"%Q\"}}", "{{date name \"%Q\"}}"},
	    {"{{date name \"%Y\" zone=\"No/Where\"}}", "{{date name \"%Y\" zone=\"No/Where\"}}"},
	    {"{{upper name}} {{default none \"<\"}} {{{default none '<'}}}", "ZOË &lt; <"},
	    {"\\{{name}} \\\\{{upper name}} \\\\\\{{upper name}}", "{{name}} \\ZOË \\\\ZOË"},
	    {"\\{{{name}}}\\{{a b}}{{upper name}}\\{{! x }}", "{{{name}}}{{a b}}ZOË{{! x }}"},
	    {"\\{{ a \\\\{{ b }} \\{{", "\\{{ a \\ \\{{"},
	    {"\\{{ a\n}} \\\\{{&a}}", "\\{{ a\n}} \\\\{{&a}}"},
	    {"\\{{#if name}}{{#if name}}\\{{else}}{{/if}}\\{{/if}}", "{{#if name}}{{else}}{{/if}}"},
	    {"x \n\\\\{{~upper name~}}\n \\{{~name~}} y", "x \n\\ZOË{{~name~}} y"},
	    {"{{url name}} {{{url name}}}", "Zo%C3%AB Zo%C3%AB"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = mail_template_render(
		    cases[i].source, strlen(cases[i].source), TEMPLATE_HTML, NULL, NULL);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].source, got, cases[i].want);
	}
}

static char *
template_nested(guint depth)
{
	GString *source = g_string_new("\n");

	for (guint i = 0; i < depth; i++)
		g_string_append(source, "{{#if name}}");
	g_string_append_c(source, 'x');
	for (guint i = 0; i < depth; i++)
		g_string_append(source, "{{/if}}");
	return g_string_free(source, FALSE);
}

Test(template, has_a_limit_of_depth)
{
	g_autofree char *fits = template_nested(LIMIT_TEMPLATE_BLOCKS);
	g_autofree char *past = template_nested(LIMIT_TEMPLATE_BLOCKS + 1);
	g_autoptr(GError) checked = NULL;
	g_autoptr(GError) rendered = NULL;
	g_autofree char *got = mail_template_render(fits, strlen(fits), TEMPLATE_HTML, NULL, NULL);
	g_autofree char *none =
	    mail_template_render(past, strlen(past), TEMPLATE_HTML, NULL, &rendered);

	cr_expect_str_eq(got, "\nx");
	cr_expect(template_check(fits, strlen(fits), NULL));
	cr_expect_not(template_check(past, strlen(past), &checked));
	cr_expect_str_eq(checked->message, "line 2: blocks are more than 32 deep");
	cr_expect_not(none);
	cr_expect_str_eq(rendered->message, "html: line 2: blocks are more than 32 deep");
}

Test(template, knows_whether_a_variable_is_referred_to)
{
	static const struct {
		const char *source;
		bool want;
	} cases[] = {
	    {"", false},
	    {"url", false},
	    {"{{url}}", true},
	    {"{{x}} {{{ url |y}}}", true},
	    {"{{urls}} {{ur}} {{x|url}} {{URL}}", false},
	    {"{{url", false},
	    {"{{#if url}}{{/if}}", true},
	    {"{{#each x}}{{../url}}{{/each}}", true},
	    {"{{@root.url}}", true},
	    {"{{upper url}}", true},
	    {"{{! url }}{{> url}}", false},
	    {"\\{{url}}", false},
	    {"\\\\{{url}}", true},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = template_refers(cases[i].source, strlen(cases[i].source), "url");
		cr_expect_eq(got, cases[i].want, "%s: got %d", cases[i].source, got);
	}
}

/* The largest html that is allowed, of the costliest text; quadratic work would take hours. */
Test(template, is_linear_on_hostile_input, .timeout = 900)
{
	static const char *const patterns[] = {
	    "{",
	    "{{a",
	    "{{{a|",
	    "{{{a|x}}",
	    "\\{{",
	    "\\{{&",
	    "\\\\{{a}}",
	    "{{ ",
	    "{{" NAME_100 "n",
	    "{{a|\n",
	    "{{!",
	    "{{!--",
	    "{{!-- }}",
	    "{{#if a}}",
	    "{{#if a}}{{#each a}}{{/if}}",
	    "{{/if}}",
	    "{{#if a}}{{else if b}}{{/if}}",
	    "{{#if a}}\n",
	    "{{! }}\n ",
	    "{{> a}}",
	    "{{date a \"%Y\" zone=\"X\"}}",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++) {
		GString *source = g_string_sized_new(LIMIT_HTML_BYTES + 200);
		while (source->len < LIMIT_HTML_BYTES)
			g_string_append(source, patterns[i]);
		gsize size;
		g_autofree char *got =
		    mail_template_render(source->str, source->len, TEMPLATE_HTML, &size, NULL);
		cr_expect(got && size <= source->len, "%s: got %zu bytes", patterns[i], size);
		template_check(source->str, source->len, NULL);
		g_string_free(source, TRUE);
	}
	/* One open reference up to the end. */
	g_autofree char *open = g_strnfill(LIMIT_HTML_BYTES, ' ');
	memcpy(open, "{{{a|", 5);
	cr_expect_not(template_has_tags(open, LIMIT_HTML_BYTES));
}

/* An array of numbers, and a text and a number of a mebibyte. */
#define MANY 10000

static struct template_value
find_large(const char *name, void *context)
{
	const char *const *texts = context;

	if (strcmp(name, "many") == 0)
		return (struct template_value){VALUE_ARRAY, NULL, texts, MANY};
	if (strcmp(name, "text") == 0)
		return (struct template_value){VALUE_TEXT, texts[0], NULL, 0};
	if (strcmp(name, "number") == 0)
		return (struct template_value){VALUE_NUMBER, texts[1], NULL, 0};
	return (struct template_value){VALUE_NONE, NULL, NULL, 0};
}

static struct template_value
find_element(const void *node, gsize index, const char **name_r)
{
	return (struct template_value){VALUE_NUMBER, "1", NULL, 0};
}

static struct template_value
find_no_member(const void *node, const char *name)
{
	return (struct template_value){VALUE_NONE, NULL, NULL, 0};
}

/* Budgets are longer in a build with AddressSanitizer (base/budget.c). */
#ifdef __SANITIZE_ADDRESS__
#define MOST_S 10
#else
#define MOST_S 1
#endif

/* Each was minutes of work, or would be without the bound. */
Test(template, takes_no_more_time_than_its_size_allows)
{
	static const struct {
		const char *name, *before, *repeated;
		guint times;
		const char *behind;
		const char *want; /* the error; NULL: it is rendered */
	} cases[] = {
	    {"length", "{{#each many}}", "{{@root.text.length}}", 1, "{{/each}}", NULL},
	    {"lengths", "", "{{text.length}}", 10000, "", NULL},
	    {"number", "{{#each many}}", "{{#if @root.number}}x{{/if}}", 10, "{{/each}}", NULL},
	    {"same", "{{#each many}}", "{{#each @root.many}}{{/each}}", 1, "{{/each}}",
		"html takes too long to render"},
	    {"tags", "{{#each many}}", "{{x}}", 10000, "{{/each}}",
		"html takes too long to render"},
	    {"space", "{{#each many}}\n", "          ", 100000, "{{! }}\n{{/each}}",
		"html takes too long to render"},
	    {"names", "{{#each many}}", "{{a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a}}", 1000, "{{/each}}",
		"html takes too long to render"},
	    {"long tag", "{{#each many}}{{#if x", "          ", 100000,
		"}}{{else}}{{/if}}{{/each}}", "html takes too long to render"},
	};
	g_autofree char *text = g_strnfill(LIMIT_MIB, 'x'), *number = g_strnfill(LIMIT_MIB, '1');
	const char *texts[] = {text, number};
	const struct template_values large = {
	    .variable = find_large, .member = find_no_member, .at = find_element, .context = texts};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) source = g_string_new(cases[i].before);
		g_autoptr(GError) error = NULL;
		for (guint n = 0; n < cases[i].times; n++)
			g_string_append(source, cases[i].repeated);
		g_string_append(source, cases[i].behind);
		gint64 begin = base_clock_thread_ns();
		g_autofree char *got = template_render(
		    &(struct template_source){source->str, source->len, TEMPLATE_HTML, "html"},
		    &large, NULL, &error);
		cr_expect_str_eq(error ? error->message : "", cases[i].want ? cases[i].want : "",
		    "%s", cases[i].name);
		cr_expect_lt(base_clock_thread_ns() - begin, MOST_S * CLOCK_SECOND_NS, "%s: %.2f s",
		    cases[i].name,
		    (double)(base_clock_thread_ns() - begin) / (double)CLOCK_SECOND_NS);
	}
}

static struct template_value
find_mebibyte(const char *name, void *context)
{
	(void)name;
	return (struct template_value){VALUE_TEXT, context, NULL, 0};
}

Test(template, stops_where_the_result_gets_too_large)
{
	g_autofree char *value = g_strnfill(LIMIT_MIB, '&');
	const struct template_values large = {.variable = find_mebibyte, .context = value};
	g_autoptr(GString) source = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	gsize size = 0;

	for (int i = 0; i < LIMIT_RENDERED_BYTES / LIMIT_MIB; i++)
		g_string_append(source, "{{x}}");
	g_autofree char *most = template_render(
	    &(struct template_source){source->str, source->len, TEMPLATE_TEXT, "text"}, &large,
	    &size, &error);
	cr_assert_null(error);
	cr_assert_eq(size, LIMIT_RENDERED_BYTES, "got %zu", size);
	g_string_append_c(source, '.');
	cr_assert_null(template_render(
	    &(struct template_source){source->str, source->len, TEMPLATE_TEXT, "text"}, &large,
	    &size, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE));
	g_clear_error(&error);
	cr_assert_null(template_render(
	    &(struct template_source){source->str, source->len, TEMPLATE_HTML, "html"}, &large,
	    &size, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE));
}
