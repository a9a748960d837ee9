/* SPDX-License-Identifier: MIT */
#include "template/outline.h"

#include <criterion/criterion.h>
#include <string.h>

#include "html/html.h"
#include "html/links.h"
#include "html/textpart.h"

/* The values of x, y and unsubscribe_url. */
struct values {
	const char *x, *y, *url;
};

static const char *
template_outline_look_up(const char *name, void *context)
{
	const struct values *values = context;

	return strcmp(name, "x") == 0		      ? values->x
	       : strcmp(name, "y") == 0		      ? values->y
	       : strcmp(name, "unsubscribe_url") == 0 ? values->url
						      : NULL;
}

/* The places of the links in the html, and their destinations. */
static char *
template_outline_print_links(const struct html_links *links)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < links->links->len; i++) {
		const struct html_link *link = &g_array_index(links->links, struct html_link, i);
		g_string_append_printf(
		    text, "%zu+%zu %s\n", link->start, link->size, link->destination);
	}
	g_string_append_printf(text, "%zu", links->end);
	return g_string_free(text, FALSE);
}

/* Compares what an outline tells with what the filled html says itself. Whether it tells. */
static bool
is_told(const struct template_outline *outline, const char *source, struct values *values)
{
	gsize size;
	g_autofree char *filled = template_plain_render(
	    &(struct template_source){source, strlen(source), TEMPLATE_HTML, NULL},
	    template_outline_look_up, values, &size, NULL);
	AUTO(html) html = html_parse(filled, size);
	g_autofree char *want = html_textpart_of(html), *got = NULL;
	AUTO(html_links) links = html_links_find(html);
	struct html_links *found;
	const char *template = template_outline_text(outline);

	if (!template_outline_fill(
		outline, filled, size, template_outline_look_up, values, &got, &found))
		return false;
	g_autofree char *want_links = template_outline_print_links(links),
			*got_links = template_outline_print_links(found);
	cr_expect_str_eq(got, want, "%s: got %s, want %s", filled, got, want);
	cr_expect_str_eq(
	    got_links, want_links, "%s: got %s, want %s", filled, got_links, want_links);
	g_autofree char *text =
	    template ? template_plain_render(&(struct template_source){template, strlen(template),
						 TEMPLATE_TEXT, NULL},
			   template_outline_look_up, values, NULL, NULL)
		     : g_strdup(want);
	cr_expect_str_eq(text, want, "%s by %s: got %s, want %s", filled, template, text, want);
	html_links_free(found);
	return true;
}

#define URL "https://mail.example.com/t/u/abc"

/* Which templates have an outline, and whether these values are told by it. */
Test(template_outline, knows_which_html_it_can_tell)
{
	static const struct {
		const char *name, *source, *x, *y;
		bool has_outline, is_told;
	} cases[] = {
	    {"text", "<p>Dear {{x}},</p>", "Ann", NULL, true, true},
	    {"special characters", "<p>{{x}}</p>", "A & B <i>\"'", NULL, true, true},
	    {"another script", "<p>{{x}}</p>", "Müller 山田", NULL, true, true},
	    {"an empty value", "<p>{{x}}</p>", "", NULL, true, false},
	    {"blanks", "<p>{{x}}</p>", "a  b", NULL, true, false},
	    {"a blank at the end", "<p>{{x}}</p>", "a ", NULL, true, false},
	    {"a line feed", "<p>{{x}}</p>", "a\nb", NULL, true, false},
	    {"an invisible character", "<p>{{x}}</p>", "a\342\200\213b", NULL, true, false},
	    {"a character that is none", "<p>{{x}}</p>", "a\357\277\276b", NULL, true, false},
	    {"a fallback", "<p>{{y|friend of {x}}</p>", NULL, NULL, true, false},
	    {"a plain fallback", "<p>{{y|my friend}}</p>", NULL, NULL, true, true},
	    {"a fallback of html", "<p>{{y|<b>friend</b>}}</p>", NULL, NULL, true, false},
	    {"a value in place of it", "<p>{{y|<b>friend</b>}}</p>", NULL, "Bo", true, true},
	    {"no value", "<p>{{y}}</p>", NULL, NULL, true, false},
	    {"links", "<a href=\"https://x.org/?a={{x}}&amp;b={{y}}\">x</a><area href={{x}}>", "1",
		"2", false, false},
	    {"a link", "<a href=\"https://x.org/?a={{x}}&amp;b={{y}}\">go</a>", "1", "&", true,
		true},
	    {"a whole link", "<a href='{{x}}'>go {{y}}</a>", URL, "x", true, true},
	    {"no link", "<a href='{{x}}'>go {{y}}</a>", "/home", "x", true, true},
	    {"a link that says itself", "<a href='{{x}}'>{{x}}</a>", URL, NULL, true, true},
	    {"a text that says the link", "<a href='{{x}}'>{{y}}</a>", "https://x.org/", "x.org",
		true, false},
	    {"a text that says another link", "<a href='https://x.org'>{{y}}</a>", NULL, "x.org",
		true, false},
	    {"a link that leads nowhere", "<a href='{{x}}'>go</a>", "#top", NULL, true, false},
	    {"an address", "<a href='{{x}}'>go</a>", "mailto:a@b.co?subject=x", NULL, true, false},
	    {"a link with a scheme that is left out", "<a href='mailto:{{x}}'>go</a>", "a@b.co",
		NULL, false, false},
	    {"a link of a picture", "<a href='{{x}}'><img src='{{y}}'></a>", URL, "y.png", true,
		true},
	    {"a link of a picture with a text", "<a href='{{x}}'><img alt='{{y}}'></a>", URL, "Y",
		true, true},
	    {"a link that is not tracked", "<a href='{{x}}' data-no-track>go</a>", URL, NULL, true,
		true},
	    {"a link in front of another", "<a href='{{x}}'>a<a href='{{y}}'>b", URL, URL, true,
		true},
	    {"an unclosed link", "<p><a href='{{x}}'>a<p>{{y}}<p>c", URL, "b", true, true},
	    {"a comment", "<!--[if mso]>{{x}}<![endif]--><p>{{y}}</p>", "-->", "b", true, true},
	    {"the end of a body", "<body>{{x}}</body>{{y}}", "a", "b", true, true},
	    {"hidden", "<div style='display:none'>{{x}}</div>b", "a", NULL, true, true},
	    {"a value beside what parts", "<b style='display:inline-block'>a</b>{{x}}", "b", NULL,
		true, true},
	    {"a mark beside what parts", "<b style='display:inline-block'>a</b>{{x}}", ".", NULL,
		true, false},
	    {"brackets in front of a picture", "{{x}}<img alt='{{y}}'>{{x}}", "a (", "b", true,
		false},
	    {"pictures", "<img alt='{{x}}'><img alt='{{y}}'>{{x}}", "a", "b", true, true},
	    {"a joiner at the end", "<p>{{x}}&zwj;b</p>", "a\342\200\214", NULL, true, false},
	    {"a base", "<base href='https://x.org/'><a href='{{x}}'>a</a>", URL, NULL, false,
		false},
	    {"a number of an item", "<ol><li value='{{x}}'>a</ol>", "4", NULL, false, false},
	    {"a style", "<p style='{{x}}'>a</p>", "display:none", NULL, false, false},
	    {"no quotes", "<a href={{x}}>a</a>", URL, NULL, false, false},
	    {"a name of an attribute", "<p {{x}}>a</p>", "hidden", NULL, false, false},
	    {"a tag", "<{{x}}>a", "title", NULL, false, false},
	    {"an end of a tag", "<p>a</{{x}}>", "p", NULL, false, false},
	    {"an attribute twice", "<a href='/' href='{{x}}'>a</a>", URL, NULL, false, false},
	    {"a character reference", "<p>&{{x}};</p>", "lt", NULL, false, false},
	    {"a number of one", "<p>&#x{{x}};</p>", "40", NULL, false, false},
	    {"the end of one", "<p>&am{{x}};</p>", "p", NULL, false, false},
	    {"braces of its own", "<p>&#123;{x}} {{x}}</p>", "a", NULL, true, true},
	    {"braces in two tags", "<p>{<b></b>{x}} {{x}}</p>", "a", NULL, true, true},
	    {"braces beside", "<p>&#123;{{x}}}</p>", "a", NULL, true, true},
	    {"a comment of its own", "<p>&#123;{! {{x}}</p>", "a", NULL, true, true},
	    {"an end of a comment", "<!-- {{x}}> b -->", "--", NULL, false, false},
	    {"another end", "<!-- {{x}}-!> b -->", "-", NULL, false, false},
	    {"a comment alone", "<!--{{x}}--><p>b</p>", "-", NULL, true, true},
	    {"text as it is written", "<xmp>{{x}}</xmp>", "A & B", NULL, false, false},
	    {"the same to the end", "<plaintext>{{x}}", "A & B", NULL, false, false},
	    {"the same in math", "<math><mi><![CDATA[{{x}}]]></mi></math>", "A & B", NULL, false,
		false},
	    {"three braces", "<p>{{{x}}}</p>", "<b>", NULL, false, false},
	    {"a block", "<p>{{#if x}}a{{/if}}</p>", "a", NULL, false, false},
	    {"a filter", "<p>{{upper x}}</p>", "a", NULL, false, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct values values = {cases[i].x, cases[i].y, URL};
		struct template_outline *outline =
		    template_outline_read(cases[i].source, strlen(cases[i].source));

		cr_expect_eq(outline != NULL, cases[i].has_outline, "%s", cases[i].name);
		if (outline)
			cr_expect_eq(is_told(outline, cases[i].source, &values), cases[i].is_told,
			    "%s", cases[i].name);
		g_clear_pointer(&outline, template_outline_free);
	}
}

/* One outline for all recipients: each message has its own links. */
Test(template_outline, gives_each_recipient_links_of_its_own)
{
	static const char source[] = "<p>Dear {{x}}</p><a href='https://x.org/?who={{y}}'>shop</a>"
				     "<a href='{{unsubscribe_url}}'>leave</a>";
	AUTO(template_outline) outline = template_outline_read(source, strlen(source));

	for (guint i = 0; i < 20; i++) {
		g_autofree char *name = g_strnfill(i + 1, 'n');
		g_autofree char *url = g_strdup_printf("https://mail.example.com/t/u/%u", i * 7);
		g_autofree char *want = g_strconcat("https://x.org/?who=", name, NULL);
		g_autofree char *got = NULL;
		struct values values = {name, name, url};
		struct html_links *links;
		gsize size;
		g_autofree char *filled = template_plain_render(
		    &(struct template_source){source, strlen(source), TEMPLATE_HTML, NULL},
		    template_outline_look_up, &values, &size, NULL);

		cr_expect(is_told(outline, source, &values));
		cr_assert(template_outline_fill(
		    outline, filled, size, template_outline_look_up, &values, &got, &links));
		cr_assert_eq(links->links->len, 2);
		cr_expect_str_eq(
		    g_array_index(links->links, struct html_link, 0).destination, want);
		cr_expect_str_eq(g_array_index(links->links, struct html_link, 1).destination, url);
		html_links_free(links);
	}
}

Test(template_outline, has_as_many_references_as_it_may)
{
	for (guint past = 0; past <= 1; past++) {
		g_autoptr(GString) source = g_string_new(NULL);

		for (guint i = 0; i < TEMPLATE_OUTLINE_REFERENCES + past; i++)
			g_string_append(source, "{{x}}");
		struct template_outline *outline = template_outline_read(source->str, source->len);
		cr_expect_eq(outline != NULL, !past);
		g_clear_pointer(&outline, template_outline_free);
	}
}

/* Unclosed links, which stand in each paragraph again: a fallback or a value in them is written
   many times, but never beyond what a text may have. */
Test(template_outline, ends_where_a_text_is_too_long)
{
	static const struct {
		guint fallback, value; /* bytes */
		bool has_text, is_told;
	} cases[] = {{10, 10, true, true}, {20000, 10, false, true}, {10, 10000, true, false}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *fallback = g_strnfill(cases[i].fallback, 'f'),
				*tail = g_strnfill(cases[i].value, 'v'),
				*value = g_strconcat("https://x.org/", tail, NULL);
		g_autoptr(GString) source = g_string_new(NULL);
		struct values values = {value, NULL, URL};

		g_string_printf(source, "<p><a href=\"{{x|%s}}\">a", fallback);
		for (guint paragraph = 0; paragraph < 2000; paragraph++)
			g_string_append(source, "<p>a");
		g_string_append(source, "<!--");
		for (guint line = 0; line < 4000; line++)
			g_string_append(source, "0123456789");
		g_string_append(source, "-->");
		AUTO(template_outline) outline = template_outline_read(source->str, source->len);
		cr_assert_not_null(outline, "%zu", i);
		cr_expect_eq(template_outline_text(outline) != NULL, cases[i].has_text, "%zu", i);
		cr_expect_eq(is_told(outline, source->str, &values), cases[i].is_told, "%zu", i);
	}
}

/* Random templates of awkward pieces, with random values: whatever is told is right. */
Test(template_outline, tells_what_a_parser_tells)
{
	static const char *const pieces[] = {"<p>", "</p>", "<a href=\"", "\">", "<a href='", "'>",
	    "</a>", "{{x}}", "{{ y }}", "{{x|a b}}", "{{unsubscribe_url}}", "{{y|<b>}}", " ", "a",
	    "go to", "https://x.org/", "x.org", "?q=", "&amp;", "&", "#", "<!--", "-->", "<table>",
	    "<tr><td>", "</table>", "<img alt='", "<img src=\"", "<b>", "</b>", "<pre>", "</pre>",
	    "<ul><li>", "</ul>", "<style>", "</style>", "<script>", "</script>", "<textarea>",
	    "</textarea>", "<div hidden>", "</div>", "<br>", "<hr>", "<blockquote>", "</body>",
	    "</html>", "<head><title>", "</title>", "<svg>", "</svg>", "<![CDATA[", "]]>", "<",
	    "\"", "'", "{", "}", "\n", "&#123;", "<font class='", " class=\"", " title='"};
	static const char *const values[] = {"Ann", "", "x.org", "https://x.org/",
	    "https://x.org/?a b", "a b", "<b>", "--", "-->", "script", "/p", "lt", "amp;", "#65",
	    "{{y}}", "}", "ä", "mailto:a@b.co", "#a", "tel:1", " a", "\302\240", "a\302\255b", "|",
	    "*"};
	g_autoptr(GRand) rand = g_rand_new_with_seed(19);
	guint outlines = 0, told = 0;

	for (guint round = 0; round < 30000; round++) {
		g_autoptr(GString) source = g_string_new(NULL);
		guint count = (guint)g_rand_int_range(rand, 1, 14);

		for (guint i = 0; i < count; i++)
			g_string_append(source,
			    pieces[g_rand_int_range(rand, 0, (gint32)G_N_ELEMENTS(pieces))]);
		struct template_outline *outline = template_outline_read(source->str, source->len);
		for (guint i = 0; i < 4 && outline; i++) {
			struct values some = {
			    values[g_rand_int_range(rand, 0, (gint32)G_N_ELEMENTS(values))],
			    values[g_rand_int_range(rand, 0, (gint32)G_N_ELEMENTS(values))], URL};
			told += is_told(outline, source->str, &some);
		}
		outlines += outline != NULL;
		g_clear_pointer(&outline, template_outline_free);
	}
	cr_expect_gt(outlines, 10000);
	cr_expect_gt(told, 20000, "%u of %u", told, outlines);
}
