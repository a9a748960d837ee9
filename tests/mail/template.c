/* SPDX-License-Identifier: MIT */
#include "mail/template.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"

#define NAME_100                                                                                   \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"                                       \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"

static const char *
look_up(const char *name, void *context)
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

Test(template, puts_values_in_the_place_of_references)
{
	static const struct {
		const char *source;
		enum mail_template_kind kind;
		const char *want;
	} cases[] = {
	    {"", MAIL_TEMPLATE_HTML, ""},
	    {"no references", MAIL_TEMPLATE_HTML, "no references"},
	    {"{{name}}", MAIL_TEMPLATE_HTML, "Zoë"},
	    {"{{ name }}", MAIL_TEMPLATE_HTML, "Zoë"},
	    {"{{\tname \t}}", MAIL_TEMPLATE_HTML, "Zoë"},
	    {"{{{name}}}", MAIL_TEMPLATE_HTML, "Zoë"},
	    {"{{{ name }}}", MAIL_TEMPLATE_HTML, "Zoë"},
	    {"a{{name}}b{{name}}c", MAIL_TEMPLATE_HTML, "aZoëbZoëc"},
	    {"{{name}}{{name}}", MAIL_TEMPLATE_HTML, "ZoëZoë"},
	    {"{{a.b-c_9}}", MAIL_TEMPLATE_HTML, "odd"},
	    {"{{" NAME_100 "}}", MAIL_TEMPLATE_HTML, "long"},
	    {"{{" NAME_100 "n}}", MAIL_TEMPLATE_HTML, "{{" NAME_100 "n}}"},
	    {"{{Name}}", MAIL_TEMPLATE_HTML, ""},
	    /* escaping */
	    {"{{html}}", MAIL_TEMPLATE_HTML, "&lt;b&gt;&quot;R&amp;D&quot; &#39;x&#39;&lt;/b&gt;"},
	    {"{{{html}}}", MAIL_TEMPLATE_HTML, "<b>\"R&D\" 'x'</b>"},
	    {"{{html}}", MAIL_TEMPLATE_TEXT, "<b>\"R&D\" 'x'</b>"},
	    {"{{{html}}}", MAIL_TEMPLATE_TEXT, "<b>\"R&D\" 'x'</b>"},
	    {"{{html}}", MAIL_TEMPLATE_HEADER, "<b>\"R&D\" 'x'</b>"},
	    /* headers */
	    {"Hi {{lines}}!", MAIL_TEMPLATE_HEADER, "Hi a  Bcc: x@y.z  !"},
	    {"{{{lines}}}", MAIL_TEMPLATE_HEADER, "a  Bcc: x@y.z  "},
	    {"{{lines}}", MAIL_TEMPLATE_TEXT, "a\r\nBcc: x@y.z\x1b\x7f"},
	    {"{{wide}}", MAIL_TEMPLATE_HEADER,
		"a b c d\xc2\xa0"
		"e"},
	    /* fallbacks */
	    {"{{none|you}}", MAIL_TEMPLATE_HTML, "you"},
	    {"{{{none|you}}}", MAIL_TEMPLATE_HTML, "you"},
	    {"{{ none | dear you }}", MAIL_TEMPLATE_HTML, "dear you"},
	    {"{{none|}}", MAIL_TEMPLATE_HTML, ""},
	    {"{{none|  }}", MAIL_TEMPLATE_HTML, ""},
	    {"{{none|a|b}}", MAIL_TEMPLATE_HTML, "a|b"},
	    {"{{none|<b>&</b>}}", MAIL_TEMPLATE_HTML, "<b>&</b>"},
	    {"{{none|a{b}c}}", MAIL_TEMPLATE_HTML, "a{b}c"},
	    {"{{none|a}}}", MAIL_TEMPLATE_HTML, "a}"},
	    {"{{name|you}}", MAIL_TEMPLATE_HTML, "Zoë"},
	    {"{{empty|you}}", MAIL_TEMPLATE_HTML, ""},
	    {"{{none}}", MAIL_TEMPLATE_HTML, ""},
	    {"{{none|a\nb}}", MAIL_TEMPLATE_HTML, "{{none|a\nb}}"},
	    {"{{none|{{name}}}}", MAIL_TEMPLATE_HTML, "{{none|Zoë}}"},
	    /* once */
	    {"{{self}}", MAIL_TEMPLATE_TEXT, "{{self}} {{name}}"},
	    {"{{none|{}}{name}}", MAIL_TEMPLATE_TEXT, "{{name}}"},
	    /* braces that are none */
	    {"@media x{a{b:c}}", MAIL_TEMPLATE_HTML, "@media x{a{b:c}}"},
	    {"a{b:{{name}}}", MAIL_TEMPLATE_HTML, "a{b:Zoë}"},
	    {"{{{name}}", MAIL_TEMPLATE_HTML, "{Zoë"},
	    {"{{name}}}", MAIL_TEMPLATE_HTML, "Zoë}"},
	    {"{{{{name}}}}", MAIL_TEMPLATE_HTML, "{Zoë}"},
	    {"{{{none|{}}}", MAIL_TEMPLATE_HTML, "{"},
	    {"{{}}", MAIL_TEMPLATE_HTML, "{{}}"},
	    {"{{ }}", MAIL_TEMPLATE_HTML, "{{ }}"},
	    {"{{|x}}", MAIL_TEMPLATE_HTML, "{{|x}}"},
	    {"{{a b}}", MAIL_TEMPLATE_HTML, "{{a b}}"},
	    {"{{#if name}}x{{/if}}", MAIL_TEMPLATE_HTML, "{{#if name}}x{{/if}}"},
	    {"{{naïve}}", MAIL_TEMPLATE_HTML, "{{naïve}}"},
	    {"{{\nname\n}}", MAIL_TEMPLATE_HTML, "{{\nname\n}}"},
	    {"{{name}", MAIL_TEMPLATE_HTML, "{{name}"},
	    {"{{name", MAIL_TEMPLATE_HTML, "{{name"},
	    {"{{name|x", MAIL_TEMPLATE_HTML, "{{name|x"},
	    {"{{name|", MAIL_TEMPLATE_HTML, "{{name|"},
	    {"{{", MAIL_TEMPLATE_HTML, "{{"},
	    {"{{{", MAIL_TEMPLATE_HTML, "{{{"},
	    {"{", MAIL_TEMPLATE_HTML, "{"},
	    {"{{name{{name}}", MAIL_TEMPLATE_HTML, "{{nameZoë"},
	    {"{ {name}}", MAIL_TEMPLATE_HTML, "{ {name}}"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		gsize size = 0;
		g_autofree char *got = mail_template_render(cases[i].source,
		    strlen(cases[i].source), cases[i].kind, look_up, NULL, &size, NULL);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].source, got, cases[i].want);
		cr_expect_eq(size, strlen(cases[i].want), "%s: size %zu", cases[i].source, size);
	}
}

Test(template, keeps_every_byte_that_is_no_reference)
{
	static const char source[] = "a\0\xff\r\n{{name}}\0b";
	static const char want[] = "a\0\xff\r\nZo\xc3\xab\0b";
	gsize size;
	g_autofree char *got = mail_template_render(
	    source, sizeof(source) - 1, MAIL_TEMPLATE_TEXT, look_up, NULL, &size, NULL);

	cr_assert_eq(size, sizeof(want) - 1, "got %zu", size);
	cr_assert(memcmp(got, want, sizeof(want)) == 0);
}

Test(template, reads_no_further_than_the_size_it_was_given)
{
	gsize size;
	/* Exactly in its allocation, so that a read past the end is seen by the sanitizer. */
	static const char *const sources[] = {"{{name}}", "{{{name}", "{{x|y}}", "{{", "{{{"};

	for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
		for (gsize cut = 0; cut < strlen(sources[i]); cut++) {
			g_autofree char *source = g_memdup2(sources[i], cut);
			g_autofree char *got = mail_template_render(
			    source, cut, MAIL_TEMPLATE_TEXT, look_up, NULL, &size, NULL);
			cr_expect(size == cut && strncmp(got, sources[i], cut) == 0,
			    "%s cut at %zu: got %s", sources[i], cut, got);
			mail_template_check(source, cut, NULL);
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
	    {"{{name}}\n{{#if}}", "line 2: \"{{\" is not followed by the name of a variable"},
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
		bool got = mail_template_check(cases[i].source, strlen(cases[i].source), &error);
		cr_expect_eq(got, cases[i].want == NULL, "%s: got %d", cases[i].source, got);
		cr_expect_str_eq(error ? error->message : "", cases[i].want ? cases[i].want : "",
		    "%s: got %s, want %s", cases[i].source, error ? error->message : "nothing",
		    cases[i].want);
		if (error)
			cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID));
	}
}

Test(template, tells_whether_there_are_references)
{
	static const struct {
		const char *source;
		bool want;
	} cases[] = {
	    {"", false},
	    {"{{", false},
	    {"{{#if x}}", false},
	    {"@media x{a{b:c}}", false},
	    {"{{x}}", true},
	    {"{{{x}}", true},
	    {"{{!}} {{x}}", true},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = mail_template_has_references(cases[i].source, strlen(cases[i].source));
		cr_expect_eq(got, cases[i].want, "%s: got %d", cases[i].source, got);
	}
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
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = mail_template_refers(cases[i].source, strlen(cases[i].source), "url");
		cr_expect_eq(got, cases[i].want, "%s: got %d", cases[i].source, got);
	}
}

/* The largest html that is allowed, of the costliest text; quadratic work would take hours. */
Test(template, is_linear_on_hostile_input, .timeout = 120)
{
	static const char *const patterns[] = {
	    "{",
	    "{{a",
	    "{{{a|",
	    "{{{a|x}}",
	    "{{ ",
	    "{{" NAME_100 "n",
	    "{{a|\n",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++) {
		GString *source = g_string_sized_new(LIMIT_HTML_BYTES + 200);
		while (source->len < LIMIT_HTML_BYTES)
			g_string_append(source, patterns[i]);
		gsize size;
		g_autofree char *got = mail_template_render(
		    source->str, source->len, MAIL_TEMPLATE_HTML, look_up, NULL, &size, NULL);
		cr_expect(got && size <= source->len, "%s: got %zu bytes", patterns[i], size);
		mail_template_check(source->str, source->len, NULL);
		g_string_free(source, TRUE);
	}
	/* One open reference up to the end. */
	g_autofree char *open = g_strnfill(LIMIT_HTML_BYTES, ' ');
	memcpy(open, "{{{a|", 5);
	cr_expect_not(mail_template_has_references(open, LIMIT_HTML_BYTES));
}

static const char *
look_up_mebibyte(const char *name, void *context)
{
	(void)name;
	return context;
}

Test(template, stops_where_the_result_gets_too_large)
{
	g_autofree char *value = g_strnfill(LIMIT_MIB, '&');
	g_autoptr(GString) source = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	gsize size = 0;

	for (int i = 0; i < LIMIT_RENDERED_BYTES / LIMIT_MIB; i++)
		g_string_append(source, "{{x}}");
	g_autofree char *most = mail_template_render(
	    source->str, source->len, MAIL_TEMPLATE_TEXT, look_up_mebibyte, value, &size, &error);
	cr_assert_null(error);
	cr_assert_eq(size, LIMIT_RENDERED_BYTES, "got %zu", size);
	g_string_append_c(source, '.');
	cr_assert_null(mail_template_render(
	    source->str, source->len, MAIL_TEMPLATE_TEXT, look_up_mebibyte, value, &size, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE));
	g_clear_error(&error);
	cr_assert_null(mail_template_render(
	    source->str, source->len, MAIL_TEMPLATE_HTML, look_up_mebibyte, value, &size, &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE));
}
