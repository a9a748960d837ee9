#include "mail/html.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits.h"

static char *
repeat(const char *first, const char *pattern, guint times)
{
	GString *text = g_string_new(first);

	while (times-- > 0)
		g_string_append(text, pattern);
	return g_string_free(text, FALSE);
}

Test(html, parses_what_it_may)
{
	static const char source[] = "<p class=x>a<b>c</b></p>";
	AUTO(mail_html) html = mail_html_parse(source, strlen(source));

	cr_assert(html);
	const GumboNode *body = mail_html_tree(html)->root->v.element.children.data[1];
	const GumboNode *p = body->v.element.children.data[0];
	cr_assert_eq(p->v.element.tag, GUMBO_TAG_P);
	const GumboAttribute *class = gumbo_get_attribute(&p->v.element.attributes, "class");
	cr_assert_str_eq(class->value, "x");
	cr_assert_eq(class->original_value.data, strstr(source, "x>"), "not in the source");
}

Test(html, has_limits)
{
	g_autofree char *text = g_strnfill(LIMIT_PARSED_HTML_BYTES + 1, 'x');
	g_autofree char *tags = repeat("", "<br>", LIMIT_PARSED_HTML_TAGS + 1);
	g_autoptr(GString) attributes = g_string_new("<p");
	for (int i = 0; i < LIMIT_PARSED_HTML_ATTRIBUTES; i++)
		g_string_append_printf(attributes, " a%d", i);
	g_autofree char *most = g_strconcat(attributes->str, ">", NULL);
	g_autofree char *more = g_strconcat(attributes->str, " b>", NULL);
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
		AUTO(mail_html) html = mail_html_parse(cases[i].source, cases[i].size);
		cr_expect_eq(html != NULL, cases[i].want, "%s: got %d", cases[i].name, !!html);
	}
}

/* As many as may be of each: without the budget some of these take hours or gigabytes. */
Test(html, is_bounded_whatever_the_document_is, .timeout = 120)
{
	static const struct {
		const char *first;
		const char *pattern;
		bool distinct; /* the pattern ends in an attribute that gets a number */
		const char *then;
		bool want;
	} cases[] = {
	    {"", "<div>", false, "", true},
	    {"", "<ul><li>", false, "", true},
	    {"", "<p><b>", false, "", true},
	    {"", "<div><table></div></table>", false, "", true},
	    {"<svg>", "<g>", false, "</x>", true},
	    {"", "<template><i>", false, "", true},
	    {"", "<i><b><p></i>", false, "", true},
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
		AUTO(mail_html) html = mail_html_parse(source->str, source->len);
		cr_expect_eq(html != NULL, cases[i].want, "%s%s...: got %d", cases[i].first,
		    cases[i].pattern, !!html);
		g_string_free(source, TRUE);
	}
}
