/* SPDX-License-Identifier: MIT */
#include "html/html.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/template.h"

static char *
html_repeat(const char *first, const char *pattern, guint times)
{
	GString *text = g_string_new(first);

	while (times-- > 0)
		g_string_append(text, pattern);
	return g_string_free(text, FALSE);
}

Test(html, parses_what_it_may)
{
	static const char source[] = "<p class=x>a<b>c</b></p>";
	AUTO(html) html = html_parse(source, strlen(source));

	cr_assert(html);
	const GumboNode *body = html_tree(html)->root->v.element.children.data[1];
	const GumboNode *p = body->v.element.children.data[0];
	cr_assert_eq(p->v.element.tag, GUMBO_TAG_P);
	const GumboAttribute *class = gumbo_get_attribute(&p->v.element.attributes, "class");
	cr_assert_str_eq(class->value, "x");
	cr_assert_eq(class->original_value.data, strstr(source, "x>"), "not in the source");
}

/* A tag with so many attributes. */
static char *
html_tag_of(guint attributes)
{
	GString *tag = g_string_new("<p");

	for (guint i = 0; i < attributes; i++)
		g_string_append_printf(tag, " a%u", i);
	g_string_append_c(tag, '>');
	return g_string_free(tag, FALSE);
}

Test(html, has_limits)
{
	g_autofree char *text = g_strnfill(LIMIT_PARSED_HTML_BYTES + 1, 'x');
	g_autofree char *tags = html_repeat("", "<br>", LIMIT_PARSED_HTML_TAGS + 1);
	g_autofree char *tag = html_tag_of(LIMIT_PARSED_HTML_TAG_ATTRIBUTES);
	g_autofree char *most =
	    html_repeat("", tag, LIMIT_PARSED_HTML_ATTRIBUTES / LIMIT_PARSED_HTML_TAG_ATTRIBUTES);
	g_autofree char *more = g_strconcat(most, "<p b>", NULL);
	struct {
		const char *name;
		const char *source;
		gsize size;
		bool want;
	} cases[] = {
	    {"empty", "", 0, true},
	    {"bytes at the limit", text, LIMIT_PARSED_HTML_BYTES, true},
	    {"bytes past it", text, LIMIT_PARSED_HTML_BYTES + 1, false},
	    {"tags at the limit", tags, LIMIT_PARSED_HTML_TAGS * 4, true},
	    {"tags past it", tags, LIMIT_PARSED_HTML_TAGS * 4 + 4, false},
	    {"attributes at the limit", most, strlen(most), true},
	    {"attributes past it", more, strlen(more), false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(html) html = html_parse(cases[i].source, cases[i].size);
		cr_expect_eq(html_tree(html) != NULL, cases[i].want, "%s: got %d", cases[i].name,
		    !!html_tree(html));
	}
}

/* Texts around a tag of so many attributes, in every form, however a parser comes to see a tag
   there. */
Test(html, limits_the_attributes_of_a_tag)
{
	static const struct {
		const char *before, *attribute, *after; /* # is a number */
		int own;				/* attributes in before and after */
	} cases[] = {
	    {"<p", " a#", ">", 0},
	    {"x</p", "\na#", ">", 0},
	    {"<p", " a#=1", ">", 0},
	    {"<p", " a# = '>'", ">", 0},
	    {"<p", " a#=\"'\"", ">", 0},
	    {"<p", " a#= =", ">", 0},
	    {"<p", "/=#", "/>", 0},
	    {"<p", "\fa# =\tx", ">", 0},
	    {"<p x=''", "a#=''", ">", 1},
	    {"<p", " a", ">", 0},
	    {"<p", " a#", "", 0},
	    {"<!-- <p x=\" --><p", " a#", ">", 0},
	    {"<!-- <p x=' --><p y='\"<'", " a#", ">", 2},
	    {"<script><a x='</script><p", " a#", ">", 0},
	    {"<svg><title><p", " a#", ">", 0},
	    {"<textarea></text x=\"</textarea><p", " a#", ">", 0},
	    {"<p x=\"<p", " a#", "\">", 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		for (int past = 0; past <= 1; past++) {
			g_autoptr(GString) source = g_string_new(cases[i].before);
			int count = LIMIT_PARSED_HTML_TAG_ATTRIBUTES + past - cases[i].own;
			for (int n = 0; n < count; n++) {
				g_auto(GStrv) parts = g_strsplit(cases[i].attribute, "#", 2);
				g_string_append(source, parts[0]);
				if (parts[1])
					g_string_append_printf(source, "%d%s", n, parts[1]);
			}
			g_string_append(source, cases[i].after);
			AUTO(html) html = html_parse(source->str, source->len);
			cr_expect_eq(html_tree(html) != NULL, !past, "%s%s...: %d", cases[i].before,
			    cases[i].attribute, count);
		}
	}
}

/* Words in text, values and scripts are no attributes. */
Test(html, parses_many_words)
{
	static const struct {
		const char *pattern;
		bool want;
	} cases[] = {
	    {"<p>%s</p>", true},
	    {"a < b %s", true},
	    {"<p title='%s' alt=\"%s\">", true},
	    {"<p>'%s\"%s", true},
	    {"<style>%s</style>", true},
	    {"<!-- %s -->", true},
	    {"<p style='x'>%s<p style=\"y\">", true},
	    {"<p>x</p %s>", false},
	};
	g_autofree char *words = html_repeat("", "it is a=b / ", 2000);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(GStrv) parts = g_strsplit(cases[i].pattern, "%s", -1);
		g_autofree char *source = g_strjoinv(words, parts);
		AUTO(html) html = html_parse(source, strlen(source));
		cr_expect_eq(html_tree(html) != NULL, cases[i].want, "%s", cases[i].pattern);
	}
}

/* n elements in each other are open n * (n - 1) / 2 times in all. */
Test(html, is_not_parsed_with_too_many_open_elements)
{
	g_autofree char *most = html_repeat("", "<div>", 2828),
			*more = html_repeat("", "<div>", 2829);
	AUTO(html) parsed = html_parse(most, strlen(most));
	AUTO(html) unparsed = html_parse(more, strlen(more));

	G_STATIC_ASSERT(2828 * 2827 / 2 <= LIMIT_PARSED_HTML_OPEN);
	G_STATIC_ASSERT(2829 * 2828 / 2 > LIMIT_PARSED_HTML_OPEN);
	cr_expect(html_tree(parsed));
	cr_expect_not(html_tree(unparsed));
}

/* The most of each that is allowed: without the budget some of these take hours or gigabytes. */
Test(html, is_bounded_whatever_the_document_is, .timeout = 900)
{
	static const struct {
		const char *first;
		const char *pattern;
		bool distinct; /* the pattern ends in an attribute that gets a number */
		const char *then;
		bool want;
	} cases[] = {
	    {"", "<div>x</div>", false, "", true},
	    {"<ul>", "<li>", false, "", true},
	    {"", "<p>x", false, "", true},
	    {"<table>", "<tr><td>x", false, "", true},
	    {"", "<div><table></div></table>", false, "", true},
	    {"", "<div><object></div></object>", false, "", true},
	    {"", "<x></y>", false, "</p>", true},
	    /* elements that are never closed, through which each tag goes */
	    {"", "<div>", false, "", false},
	    {"", "<ul><li>", false, "", false},
	    {"", "<p><b>", false, "", false},
	    {"<svg>", "<g>", false, "</x>", false},
	    {"", "<svg>", false, "</p>", false},
	    {"", "<template><i>", false, "", false},
	    {"", "<i><b><p></i>", false, "", false},
	    /* formatting that is never closed, and cloned into each paragraph after it */
	    {"<p>", "<font x", true, "</p><p>x", false},
	    {"", "<p><font x", true, "", false},
	    {"", "<table><font x", true, "", false},
	    /* attributes, each compared with all before it */
	    {"<a", " x", true, "", false},
	    {"<a", " x='>' y", true, "", false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		GString *source = g_string_new(cases[i].first);
		guint tags = 0;
		const char *pattern = cases[i].pattern;
		for (guint n = 0; tags < LIMIT_PARSED_HTML_TAGS - 20 && n < 100000; n++) {
			bool turn = *cases[i].then && tags > LIMIT_PARSED_HTML_TAGS / 2;
			if (turn)
				pattern = cases[i].then;
			g_string_append(source, pattern);
			if (cases[i].distinct && !turn)
				g_string_append_printf(
				    source, "%u%s", n, strchr(pattern, '<') == pattern ? ">" : "");
			for (const char *p = pattern; *p; p++)
				tags += *p == '<';
		}
		AUTO(html) html = html_parse(source->str, source->len);
		cr_expect_eq(html_tree(html) != NULL, cases[i].want, "%s%s...: got %d",
		    cases[i].first, cases[i].pattern, !!html_tree(html));
		g_string_free(source, TRUE);
	}
}
