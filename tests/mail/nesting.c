/* SPDX-License-Identifier: MIT */
/* Compares what is read tag by tag with what gumbo's tree gives. */
#include "html/nesting.h"

#include <criterion/criterion.h>
#include <string.h>

#include "html/html.h"
#include "html/textpart.h"

static bool
is_nested(const char *source)
{
	struct html_nesting nesting = {.depth = 0};
	struct html_tags tags;
	enum html_token token;
	bool is = true;

	html_tags_init(&tags, source, strlen(source));
	while (is && (token = html_tags_next(&tags)) != HTML_TOKEN_END)
		is = html_nesting_take(&nesting, token, &tags);
	is = is && !tags.doubtful && html_nesting_is_closed(&nesting);
	html_tags_clear(&tags);
	return is;
}

/* Whether a document has the text of its tree. */
static bool
has_text_of_tree(const char *source)
{
	AUTO(html) html = html_parse(source, strlen(source));
	g_autofree char *want = html_textpart_of(html);
	g_autofree char *got = html_textpart_from_html(source, strlen(source));
	bool has = strcmp(got, want) == 0;

	cr_assert_not_null(html_tree(html));
	cr_expect(has, "%s:\n got [%s]\nwant [%s]", source, got, want);
	return has;
}

#define CELL(content) "<table><tr><td>" content "</td></tr></table>"

static const struct {
	const char *html;
	bool is_nested;
} cases[] = {
    {"", true},
    {"a", true},
    {"<p>a</p><p>b</p>", true},
    {"<p>a<p>b", false},
    {"<p>a", false},
    {"a</p>", false},
    {"<b>a<i>b</b></i>", false},
    {"<p>a<div>b</div></p>", false},
    {"<p>a<hr></p>", false},
    {"<p>" CELL("a") "</p>", false},
    {CELL("<p>a</p>"), true},
    {"<h1>a<h2>b</h2></h1>", false},
    {"<h1>a<b><h2>b</h2></b></h1>", true},
    {"<a href=x>a<a href=y>b</a></a>", false},
    {"<a href=x>a" CELL("<a href=y>b</a>") "</a>", true},
    {"<li>a</li>", false},
    {"<ul>a<li>b</li>c</ul>", true},
    {"<ul><li>a<div><li>b</li></div></li></ul>", false},
    /* tables */
    {"<table>a<tr><td>b</td></tr></table>", false},
    {"<table>&nbsp;<tr><td>b</td></tr></table>", false},
    {"<table> <tbody>\n<tr>\t<td>b</td> </tr> </tbody> </table>", true},
    {"<table><div>a</div></table>", false},
    {"<table><td>a</td></table>", false},
    {"<tr><td>a</td></tr>", false},
    {"<table><style>a</style></table>", false},
    {"<b>" CELL("a") "</b>", true},
    /* documents */
    {"<!DOCTYPE html><html><head><title>a</title></head><body>b</body></html>\n", true},
    {"<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/\">a", true},
    {"<style>a</style><body>b</body>", true},
    {"<html><body>a</body></html>b", false},
    {"<html><body>a</body>b</html>", false},
    {"a<body>b</body>", false},
    {"a<html>b</html>", false},
    {"<body><head></head>a</body>", false},
    {"<head>a</head>", false},
    {"<head><p>a</p></head>", false},
    {"<head></head><head></head>a", false},
    {"<html hidden>a</html>", false},
    {"<body hidden>a</body>", true},
    {"a<title>b</title>c<style><!-- d --></style>e", true},
    {"<script>a<!--b</script>c", false},
    {"<style>a", false},
    /* characters */
    {"&amp;&#65;&hellip;&", true},
    {"AT&T", false},
    {"&lt", false},
    {"&#65", false},
    {"&#128;", false},
    {"a&#4294967361;b", false},
    {"&CounterClockwiseContourIntegral;", false},
    {"a & b", true},
    {"a < b", false},
    /* tags */
    {"<a href=\"?a=b&copy=d&amp;e\">x</a>", true},
    {"<a href=\"?a=b&copy\">x</a>", false},
    {"<a href=x?a=b>x</a>", false},
    {"<a href=x/>x</a>", false},
    {"<a href=''>x</a><a href>y</a>", true},
    {"<a href=>x</a>", false},
    {"<a b='1'c='2'>x</a>", false},
    {"<a/b>x</a>", false},
    {"<a =b>x</a>", false},
    {"<br/><br /><hr noshade>", true},
    {"<br", false},
    {"<P>a</p >", true},
    {"<x-y>a</x-y>", false},
    {"<select></select>", false},
    {"</br>", false},
    /* comments */
    {"a<!-- b --><!--[if mso]><p><![endif]-->", true},
    {"<!-->a", false},
    {"<!--->a", false},
    {"<!--a--!>b-->", false},
    {"<!--a", false},
    {"<![if !mso]>a<![endif]>", false},
    {"<?php?>", false},
    {"</ a>", false},
};

Test(nesting, is_told_where_the_tree_is_as_written)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		cr_expect_eq(is_nested(cases[i].html), cases[i].is_nested, "%s", cases[i].html);
		has_text_of_tree(cases[i].html);
	}
}

Test(nesting, is_as_deep_as_it_may)
{
	for (guint more = 0; more <= 1; more++) {
		g_autoptr(GString) html = g_string_new(NULL);

		for (guint i = 0; i < HTML_NESTING_DEPTH + more; i++) {
			g_string_prepend(html, "<div>");
			g_string_append(html, "a</div>");
		}
		cr_expect_eq(is_nested(html->str), more == 0);
		has_text_of_tree(html->str);
	}
}

/* Each character that html or gumbo could take for another one. */
Test(nesting, reads_characters_as_gumbo_does)
{
	for (gunichar c = 1; c <= 0x10ffff; c += c < 0x3000 || (c & 0xffff) >= 0xfdc0 ? 1 : 0x40) {
		char text[7] = "";

		if (!g_unichar_validate(c))
			continue;
		g_unichar_to_utf8(c, text);
		g_autofree char *plain = g_strdup_printf("<p title=\"%s\">a%sb</p>", text, text);
		g_autofree char *number = g_strdup_printf("<p>a&#%u;b&#x%x;c</p>", c, c);
		if (!has_text_of_tree(plain) || !has_text_of_tree(number))
			break;
	}
}

struct piece {
	const char *open, *close; /* close: NULL: none */
};

/* Nesting as mail has it, and as it makes trouble. */
static const struct piece pieces[] = {{"<p>", "</p>"}, {"<div>", "</div>"},
    {"<div style=\"color: red\">", "</div>"}, {"<b>", "</b>"}, {"<i>", "</i>"},
    {"<span style='display:none'>", "</span>"}, {"<font color=red>", "</font>"},
    {"<a href=\"https://x.org/?a=1&b=2&amp;c\">", "</a>"}, {"<a>", "</a>"}, {"<h1>", "</h1>"},
    {"<H2>", "</H2>"}, {"<ul>", "</ul>"}, {"<ol start=\"3\">", "</ol>"}, {"<li>", "</li>"},
    {"<blockquote>", "</blockquote>"}, {"<center>", "</center>"}, {"<table>", "</table>"},
    {"<tbody>", "</tbody>"}, {"<tr>", "</tr>"}, {"<td>", "</td>"}, {"<td hidden>", "</td>"},
    {"<table><tr><td>", "</td></tr></table>"},
    {"<table> <tbody> <tr> <th>", "</th></tr></tbody> </table>"}, {"<ul><li>", "</li></ul>"},
    {"<html>", "</html>"}, {"<head>", "</head>"}, {"<body>", "</body>"},
    {"<!DOCTYPE html><html><head><title>t</title></head><body>", "</body></html>"},
    {"<pre>", "</pre>"}, {"<strong>", "</strong>"}, {"text", NULL}, {"a b", NULL}, {" ", NULL},
    {"\n", NULL}, {"\r\n", NULL}, {"&amp;", NULL}, {"&nbsp;", NULL}, {"&zwnj;", NULL},
    {"&#8217;", NULL}, {"&copy", NULL}, {"&", NULL}, {"<", NULL}, {"ä€", NULL}, {"<br>", NULL},
    {"<br/>", NULL}, {"<hr>", NULL}, {"<img alt=\"pic\" src=x>", NULL}, {"<img src=''>", NULL},
    {"<img alt=\"p\" hidden>", NULL}, {"<!-- c -->", NULL},
    {"<!--[if mso]><table><![endif]-->", NULL}, {"<style>p{}</style>", NULL},
    {"<style><!-- p --></style>", NULL}, {"<script>if (a<b) '</p>'</script>", NULL},
    {"<title>t</title>", NULL}, {"<meta charset=utf-8>", NULL}, {"<link rel=x>", NULL},
    {"<td", NULL}, {"\">", NULL}, {"<!--", NULL}, {"-->", NULL},
    {"<span style=\"display: block\">", "</span>"},
    {"<a href=y style=\"display:inline-block\">", "</a>"},
    {"<b style=\"display:inline-block;color:red\">", "</b>"},
    {"<div style=\"max-height:0\">", "</div>"}, {"<span style=\"mso-hide:all\">", "</span>"},
    {"<ol reversed>", "</ol>"}, {"<ol reversed start=9>", "</ol>"}, {"<li value=\"4\">", "</li>"},
    {"<base href=\"https://y.org/b/\">", NULL}, {"<img alt=\"(\" style=\"display:block\">", NULL},
    {"<area href=\"/a\" alt=\"b\">", NULL}, {"&zwj;", NULL}, {"(.)", NULL}};

/* Writes pieces within each other; now and then one is not closed, or where it may not be. */
static void
write_pieces(GRand *rand, GString *out, guint depth, bool is_wild)
{
	for (gint32 count = g_rand_int_range(rand, 0, depth > 5 ? 2 : 4); count >= 0; count--) {
		const struct piece *piece =
		    &pieces[g_rand_int_range(rand, 0, (gint32)G_N_ELEMENTS(pieces))];

		g_string_append(out, piece->open);
		if (piece->close && depth < 12)
			write_pieces(rand, out, depth + 1, is_wild);
		if (piece->close && !(is_wild && g_rand_int_range(rand, 0, 8) == 0))
			g_string_append(out, piece->close);
	}
}

Test(nesting, gives_the_text_of_the_tree_of_random_documents, .timeout = 900)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(7);
	guint nested = 0;

	for (guint round = 0; round < 60000; round++) {
		g_autoptr(GString) html = g_string_new(NULL);

		write_pieces(rand, html, 0, round % 4 == 0);
		if (!has_text_of_tree(html->str))
			break;
		nested += is_nested(html->str);
	}
	cr_expect_gt(nested, 6000, "%u", nested);
}
