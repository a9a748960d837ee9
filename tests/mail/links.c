/* SPDX-License-Identifier: MIT */
#include "html/links.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/template.h"
#include "html/html.h"
#include "html/textpart.h"

static struct html_links *
links_find(const char *source, gsize size)
{
	AUTO(html) html = html_parse(source, size);

	return html_links_find(html);
}

/* Rewrites each link to "U" and its number; pixel NULL: none. */
static char *
links_rewrite(const char *source, const struct html_links *links, const char *pixel)
{
	g_autoptr(GPtrArray) urls = g_ptr_array_new_with_free_func(g_free);
	gsize size;

	for (guint i = 0; i < links->links->len; i++)
		g_ptr_array_add(urls, g_strdup_printf("U%u", i));
	char *text = html_links_rewrite(
	    source, strlen(source), links, (const char *const *)urls->pdata, pixel, &size);
	cr_expect_eq(size, strlen(text));
	return text;
}

/* The destinations, each with a line feed. */
static char *
destinations(const struct html_links *links)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < links->links->len; i++)
		g_string_append_printf(
		    text, "%s\n", g_array_index(links->links, struct html_link, i).destination);
	return g_string_free(text, FALSE);
}

/* Awkward html: the rewritten source, and the destinations. */
static const struct {
	const char *name, *source, *want, *want_destinations;
} cases[] = {
    {"empty", "", "", ""},
    {"text alone", "a < b && c", "a < b && c", ""},
    {"double quotes", "<a href=\"http://x.org/\">x</a>", "<a href=\"U0\">x</a>", "http://x.org/\n"},
    {"single quotes", "<a href='https://x.org/?a=\"1\"'>x</a>", "<a href='U0'>x</a>",
	"https://x.org/?a=\"1\"\n"},
    {"no quotes", "<a href=http://x.org/a?b=c>x</a>", "<a href=U0>x</a>", "http://x.org/a?b=c\n"},
    {"no quotes, and a slash", "<a href=http://x.org/>x</a>", "<a href=U0>x</a>",
	"http://x.org/\n"},
    {"no quotes, and another attribute", "<a href=http://x.org class=y>x</a>",
	"<a href=U0 class=y>x</a>", "http://x.org\n"},
    {"space around the sign", "<a\n\thref \n=\r\n \"http://x.org/\" >x</a>",
	"<a\n\thref \n=\r\n \"U0\" >x</a>", "http://x.org/\n"},
    {"upper case", "<A HREF=\"HTTPS://X.org/A\">x</A>", "<A HREF=\"U0\">x</A>",
	"HTTPS://X.org/A\n"},
    {"references", "<a href=\"http://x.org/?a=1&amp;b=2&#38;c=&quot;&copy;&#x20AC;\">x</a>",
	"<a href=\"U0\">x</a>", "http://x.org/?a=1&b=2&c=\"\302\251\342\202\254\n"},
    {"what is no reference in an attribute", "<a href=\"http://x.org/?a&copy=1&lt=2&b\">x</a>",
	"<a href=\"U0\">x</a>", "http://x.org/?a&copy=1&lt=2&b\n"},
    {"space around the URL", "<a href=\"  http://x.org/a b \n\">x</a>", "<a href=\"U0\">x</a>",
	"http://x.org/a b\n"},
    {"a URL of two lines", "<a href=\"http://x.org/a\n\tb\">x</a>", "<a href=\"U0\">x</a>",
	"http://x.org/ab\n"},
    {"other scripts", "<a href=\"http://\303\274.org/\303\244\">\303\274</a>",
	"<a href=\"U0\">\303\274</a>", "http://\303\274.org/\303\244\n"},
    {"a joiner in the host",
	"<a href=\"http://"
	"\331\206\330\247\331\205\331\207\342\200\214\330\247\333\214.org/\">x</a>",
	"<a href=\"U0\">x</a>",
	"http://\331\206\330\247\331\205\331\207\342\200\214\330\247\333\214.org/\n"},
    {"a host that is none", "<a href=\"http://u@a\342\200\214b.org:81/\">x</a>",
	"<a href=\"http://u@a\342\200\214b.org:81/\">x</a>", ""},
    {"area", "<map><area href=\"http://x.org/\" shape=rect></map>",
	"<map><area href=\"U0\" shape=rect></map>", "http://x.org/\n"},
    {"several, and a repeated one",
	"<a href=\"http://x.org/1\">1</a><a href='http://x.org/2'>2</a>"
	"<a href=http://x.org/1>1</a>",
	"<a href=\"U0\">1</a><a href='U1'>2</a><a href=U2>1</a>",
	"http://x.org/1\nhttp://x.org/2\nhttp://x.org/1\n"},
    {"a link in a link", "<a href=\"http://x.org/1\">1<a href=\"http://x.org/2\">2",
	"<a href=\"U0\">1<a href=\"U1\">2", "http://x.org/1\nhttp://x.org/2\n"},
    {"one that is never closed, and stands in each paragraph",
	"<p><a href=\"http://x.org/\">x<p>y<p>z<table><tr><td>u",
	"<p><a href=\"U0\">x<p>y<p>z<table><tr><td>u", "http://x.org/\n"},
    {"one that a table moves", "<table><a href=\"http://x.org/\">x</a><tr><td>y</table>",
	"<table><a href=\"U0\">x</a><tr><td>y</table>", "http://x.org/\n"},
    {"the attribute twice", "<a href=\"http://x.org/1\" href=\"http://x.org/2\">x</a>",
	"<a href=\"U0\" href=\"http://x.org/2\">x</a>", "http://x.org/1\n"},
    {"quotes that follow each other", "<a href=\"http://x.org/\"class=\"y\">x</a>",
	"<a href=\"U0\"class=\"y\">x</a>", "http://x.org/\n"},
    {"data-no-track", "<a data-no-track href=\"http://x.org/\">x</a>",
	"<a data-no-track href=\"http://x.org/\">x</a>", ""},
    {"data-no-track with a value", "<a href=\"http://x.org/\" DATA-NO-TRACK='false'>x</a>",
	"<a href=\"http://x.org/\" DATA-NO-TRACK='false'>x</a>", ""},
    {"mailto", "<a href=\"mailto:a@x.org\">x</a>", "<a href=\"mailto:a@x.org\">x</a>", ""},
    {"tel", "<a href=\"tel:+1\">x</a>", "<a href=\"tel:+1\">x</a>", ""},
    {"an anchor", "<a href=\"#top\">x</a>", "<a href=\"#top\">x</a>", ""},
    {"the target of an anchor", "<a name=\"top\">x</a>", "<a name=\"top\">x</a>", ""},
    {"nothing", "<a href>x</a><a href=\"\">x</a>", "<a href>x</a><a href=\"\">x</a>", ""},
    {"relative", "<a href=\"/a\">x</a><a href=\"//x.org/\">x</a>",
	"<a href=\"/a\">x</a><a href=\"//x.org/\">x</a>", ""},
    {"a script", "<a href=\"javascript:location='http://x.org/'\">x</a>",
	"<a href=\"javascript:location='http://x.org/'\">x</a>", ""},
    {"data", "<a href=\"data:text/html,http://x.org/\">x</a>",
	"<a href=\"data:text/html,http://x.org/\">x</a>", ""},
    {"ftp", "<a href=\"ftp://x.org/\">x</a>", "<a href=\"ftp://x.org/\">x</a>", ""},
    {"no host", "<a href=\"http://\">x</a><a href=\"http:///a\">x</a><a href=\"http:x\">x</a>",
	"<a href=\"http://\">x</a><a href=\"http:///a\">x</a><a href=\"http:x\">x</a>", ""},
    {"another scheme that begins the same", "<a href=\"httpsx://x.org/\">x</a>",
	"<a href=\"httpsx://x.org/\">x</a>", ""},
    {"a control character", "<a href=\"http://x.org/&#1;a\">x</a>",
	"<a href=\"http://x.org/&#1;a\">x</a>", ""},
    {"line breaks that are references", "<a href=\"http://x.org/&#13;&#10;Set-Cookie:a\">x</a>",
	"<a href=\"U0\">x</a>", "http://x.org/Set-Cookie:a\n"},
    {"other elements",
	"<link href=\"http://x.org/\"><base href=\"http://x.org/\"><img src=\"http://x.org/\">"
	"<form action=\"http://x.org/\"><b href=\"http://x.org/\">",
	"<link href=\"http://x.org/\"><base href=\"http://x.org/\"><img src=\"http://x.org/\">"
	"<form action=\"http://x.org/\"><b href=\"http://x.org/\">",
	""},
    {"a comment", "<!-- <a href=\"http://x.org/\">x</a> -->",
	"<!-- <a href=\"http://x.org/\">x</a> -->", ""},
    {"Outlook's conditions",
	"<!--[if mso]><a href=\"http://x.org/1\"><![endif]-->"
	"<!--[if !mso]><!--><a href=\"http://x.org/2\">x</a><!--<![endif]-->",
	"<!--[if mso]><a href=\"http://x.org/1\"><![endif]-->"
	"<!--[if !mso]><!--><a href=\"U0\">x</a><!--<![endif]-->",
	"http://x.org/2\n"},
    {"a script's text", "<script>'<a href=\"http://x.org/\">'</script>",
	"<script>'<a href=\"http://x.org/\">'</script>", ""},
    {"a style's text", "<style>a[href=\"http://x.org/\"]{}</style>",
	"<style>a[href=\"http://x.org/\"]{}</style>", ""},
    {"a title's and a text field's",
	"<title><a href=\"http://x.org/\"></title><textarea><a href=\"http://x.org/\"></textarea>",
	"<title><a href=\"http://x.org/\"></title><textarea><a href=\"http://x.org/\"></textarea>",
	""},
    {"another attribute's value", "<p title='<a href=\"http://x.org/\">'>x</p>",
	"<p title='<a href=\"http://x.org/\">'>x</p>", ""},
    {"a link in the picture", "<svg><a href=\"http://x.org/\">x</a></svg>",
	"<svg><a href=\"http://x.org/\">x</a></svg>", ""},
    {"a tag that the source ends in", "<a href=\"http://x.org/\"", "<a href=\"http://x.org/\"", ""},
    {"a quote that is never closed", "<a href=\"http://x.org/>x</a>",
	"<a href=\"http://x.org/>x</a>", ""},
    {"a byte order mark, line breaks and what is odd about it",
	"\357\273\277<!doctype html>\r\n<a\thref='http://x.org/'>\r\n&nbsp;&bogus; <3 </i></p>",
	"\357\273\277<!doctype html>\r\n<a\thref='U0'>\r\n&nbsp;&bogus; <3 </i></p>",
	"http://x.org/\n"},
};

Test(links, are_found_and_replaced_and_nothing_else_is)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *source = cases[i].source;
		AUTO(html_links) links = links_find(source, strlen(source));
		g_autofree char *found = destinations(links);
		g_autofree char *got = links_rewrite(source, links, NULL);

		cr_expect_str_eq(found, cases[i].want_destinations, "%s: got %s, want %s",
		    cases[i].name, found, cases[i].want_destinations);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

/* A NULL URL leaves its link unchanged, byte for byte. */
Test(links, stay_where_they_are_to)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *source = cases[i].source;
		AUTO(html_links) links = links_find(source, strlen(source));
		g_autofree const char **urls = g_new0(const char *, links->links->len + 1);
		gsize size;
		g_autofree char *got =
		    html_links_rewrite(source, strlen(source), links, urls, NULL, &size);

		cr_expect_str_eq(got, source, "%s: got %s", cases[i].name, got);
	}
}

Test(links, are_encoded_for_any_quotes)
{
	static const char source[] =
	    "<a href=\"http://a/\"><a href='http://b/'><a href=http://c/ x><img>";
	static const char *const urls[] = {"?a&b\"'<>`", "?a&b\"'<>`", "?a&b\"'<>`"};
#define ENCODED "?a&amp;b&#34;&#39;&#60;&#62;&#96;"
	static const char want[] =
	    "<a href=\"" ENCODED "\"><a href='" ENCODED "'><a href=" ENCODED " x><img>";
	AUTO(html_links) links = links_find(source, strlen(source));
	gsize size;

	cr_assert_eq(links->links->len, 3);
	g_autofree char *got = html_links_rewrite(source, strlen(source), links, urls, NULL, &size);
	cr_expect_str_eq(got, want, "got %s", got);
	AUTO(html_links) again = links_find(got, size);
	cr_expect_eq(again->links->len, 0, "they are no URLs any more");
}

Test(links, have_a_limit)
{
	g_autofree char *path = g_strnfill(LIMIT_LINK_BYTES - strlen("http://x/"), 'a');
	g_autofree char *most = g_strdup_printf("<a href=\"http://x/%s\">", path);
	g_autofree char *more = g_strdup_printf("<a href=\"http://x/%sb\">", path);
	AUTO(html_links) at_limit = links_find(most, strlen(most));
	AUTO(html_links) past_it = links_find(more, strlen(more));

	cr_expect_eq(at_limit->links->len, 1);
	cr_expect_eq(past_it->links->len, 0);
}

/* One tag with too many attributes keeps the document from being parsed. */
Test(links, are_found_beside_tags_of_so_many_attributes)
{
	for (guint past = 0; past <= 1; past++) {
		g_autoptr(GString) source = g_string_new("<a href=\"http://x.org/\">x</a><p");

		for (guint i = 0; i < LIMIT_PARSED_HTML_TAG_ATTRIBUTES + past; i++)
			g_string_append_printf(source, " a%u", i);
		g_string_append(source, ">y");
		AUTO(html_links) links = links_find(source->str, source->len);
		cr_expect_eq(links->links->len, 1 - past);
		g_autofree char *text = html_textpart_from_html(source->str, source->len);
		cr_expect_str_eq(text, "x (http://x.org/)\n\ny\n");
	}
}

#define IMG                                                                                        \
	"<img src=\"P\" width=\"1\" height=\"1\" alt=\"\" style=\"display:block;"                  \
	"width:1px;height:1px;border:0\">"

Test(links, are_followed_by_the_pixel)
{
	static const struct {
		const char *name, *source, *want;
	} bodies[] = {
	    {"empty", "", IMG},
	    {"no end tags", "<p>x", "<p>x" IMG},
	    {"a body", "<html><body>x</body></html>\n", "<html><body>x" IMG "</body></html>\n"},
	    {"upper case", "<BODY>x</BODY >", "<BODY>x" IMG "</BODY >"},
	    {"html alone ends", "x</html>", "x" IMG "</html>"},
	    {"a body in a comment", "<body>x<!-- </body> -->y</body><!-- </body> -->",
		"<body>x<!-- </body> -->y" IMG "</body><!-- </body> -->"},
	    {"a body in an attribute", "<body>x<a href=\"http://x.org/</body>\">y</a>",
		"<body>x<a href=\"U0\">y</a>" IMG},
	    {"a link behind the body", "<body>x</body><a href='http://x.org/'>y</a>",
		"<body>x" IMG "</body><a href='U0'>y</a>"},
	    {"links on both sides",
		"<a href=http://x.org/>1</a></body><a href=http://x.org/>2</a></html>",
		"<a href=U0>1</a>" IMG "</body><a href=U1>2</a></html>"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bodies); i++) {
		const char *source = bodies[i].source;
		AUTO(html_links) links = links_find(source, strlen(source));
		g_autofree char *got = links_rewrite(source, links, "P");

		cr_expect_str_eq(got, bodies[i].want, "%s: got %s, want %s", bodies[i].name, got,
		    bodies[i].want);
	}
}

/* A document that is not parsed keeps its links, and gets its pixel. */
Test(links, are_left_alone_in_what_is_too_much, .timeout = 900)
{
	g_autoptr(GString) source = g_string_new("<body><a href=\"http://x.org/\">x</a>");

	for (guint i = 0; i < LIMIT_PARSED_HTML_TAGS; i++)
		g_string_append(source, "<br>");
	gsize end = source->len;
	g_string_append(source, "</bOdy></html>");
	AUTO(html_links) links = links_find(source->str, source->len);
	cr_expect_eq(links->links->len, 0);
	cr_expect_eq(links->end, end, "got %zu, want %zu", links->end, end);
	g_autofree char *got = links_rewrite(source->str, links, "P");
	cr_expect_eq(memcmp(got, source->str, end), 0);
	cr_expect_str_eq(got + end, IMG "</bOdy></html>");
}

/* Random pieces of html: the rest of the document stays the same. */
Test(links, keep_the_rest_of_anything, .timeout = 900)
{
	static const char *const pieces[] = {"<a href=\"http://x.org/", "<a href='https://y.org/'",
	    "<a href=http://z.org", "\"", "'", ">", " ", "=", "<", "/", "</a>", "<p>", "</p>",
	    "<table>", "<td>", "</body>", "</html>", "<!--", "-->", "<script>", "</script>",
	    "&amp;", "&", "\r\n", "data-no-track", "<svg>", "<template>", "</template>", "<select>",
	    "<textarea>", "x"};
	g_autoptr(GRand) random = g_rand_new_with_seed(7);

	for (guint round = 0; round < 20000; round++) {
		g_autoptr(GString) source = g_string_new(NULL);
		for (gint n = g_rand_int_range(random, 0, 25); n > 0; n--)
			g_string_append(
			    source, pieces[g_rand_int_range(random, 0, G_N_ELEMENTS(pieces))]);
		AUTO(html_links) links = links_find(source->str, source->len);
		g_autofree char *got = links_rewrite(source->str, links, "P");
		/* Undoing the rewrite gives the source. */
		const char *at = got;
		gsize from = 0;
		bool pixel = false;
		for (guint i = 0; i <= links->links->len; i++) {
			const struct html_link *link =
			    i < links->links->len
				? &g_array_index(links->links, struct html_link, i)
				: NULL;
			gsize to = link ? link->start : source->len;
			if (!pixel && links->end < to + !link) {
				gsize before = links->end - from;
				cr_assert_eq(memcmp(at, source->str + from, before), 0, "%s", got);
				cr_assert(g_str_has_prefix(at + before, IMG), "%s", got);
				at += before + strlen(IMG);
				from = links->end;
				pixel = true;
			}
			cr_assert_eq(memcmp(at, source->str + from, to - from), 0, "%s: %s",
			    source->str, got);
			at += to - from;
			if (!link)
				break;
			g_autofree char *url = g_strdup_printf("U%u", i);
			cr_assert(g_str_has_prefix(at, url), "%s", got);
			at += strlen(url);
			from = to + link->size;
		}
		cr_assert_str_eq(at, "");
	}
}
