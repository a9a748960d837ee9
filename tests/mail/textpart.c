/* SPDX-License-Identifier: MIT */
#include "html/textpart.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits/email.h"
#include "base/limits/template.h"
#include "base/limits/unit.h"
#include "html/html.h"

#define NBSP "\xc2\xa0"
#define ZWNJ "\xe2\x80\x8c"

struct textpart_case {
	const char *html;
	const char *want;
};

static const struct textpart_case cases[] = {
    {"", ""},
    {" \n", ""},
    {"<p></p><div><br></div>", ""},
    {"text", "text\n"},
    {"<html><head><title>T</title><style>p{}</style></head><body>x</body></html>", "x\n"},
    {"<!DOCTYPE html><!-- c --><p>x", "x\n"},
    /* white space */
    {" a  b\n\tc ", "a b c\n"},
    {"a" NBSP NBSP " b" NBSP, "a b\n"},
    {"a&nbsp;&nbsp;b", "a b\n"},
    {"a <b> b </b> c", "a b c\n"},
    {"a<b>b</b>c", "abc\n"},
    {"<p> a </p> <p> b </p>", "a\n\nb\n"},
    {"a\xe2\x80\x89"
     "b\xe2\x80\xaf"
     "c\xe2\x81\x9f"
     "d\xe3\x80\x80"
     "e\xe2\x80\xa8"
     "f",
	"a b c d e f\n"},
    /* what cannot be seen */
    {"a&shy;b\xe2\x80\x8b"
     "c\xef\xbb\xbf"
     "d\xcd\x8f"
     "e\xe2\x81\xa0"
     "f",
	"abcdef\n"},
    {"x" NBSP ZWNJ NBSP ZWNJ NBSP "<p>y", "x\n\ny\n"},
    {ZWNJ ZWNJ "a" ZWNJ " " ZWNJ "b" ZWNJ, "a" ZWNJ " b" ZWNJ "\n"},
    {"<p>a" ZWNJ ZWNJ "</p>" ZWNJ "<p>b" ZWNJ "<br>c</p>", "a" ZWNJ "\n\nb" ZWNJ "\nc\n"},
    {"<table><tr><td>a" ZWNJ "</td><td>" ZWNJ "b</td></tr></table>", "a" ZWNJ " | b\n"},
    {"<pre>a" ZWNJ " " ZWNJ "b</pre>", "a" ZWNJ " b\n"},
    {"<a href=\"x\">a" ZWNJ "</a>b", "a" ZWNJ " (x)b\n"},
    {"<a href=\"x\">x" ZWNJ "</a> b", "x" ZWNJ " b\n"},
    {"a\xe2\x80\x8d b", "a\xe2\x80\x8d b\n"},
    {"\xe1\xa0\xa0\xe1\xa0\x8e\xe1\xa0\xa1", "\xe1\xa0\xa0\xe1\xa0\x8e\xe1\xa0\xa1\n"},
    {"می" ZWNJ "خواهم", "می" ZWNJ "خواهم\n"},
    {"👩\xe2\x80\x8d👧", "👩\xe2\x80\x8d👧\n"},
    {"a\x01\x1b[0m\x7f\xc2\x9b"
     "b",
	"a[0mb\n"},
    /* entities */
    {"&lt;b&gt; &amp;amp; &quot;&apos; &#65;&#x42;&#X43; &euml;&hellip;", "<b> &amp; \"' ABC ë…\n"},
    {"a & b &c &; &# &#x &foo; AT&T", "a & b &c &; &# &#x &foo; AT&T\n"},
    {"&#8364;&#x1F600;", "€😀\n"},
    {"&#xD800;a&#0;&#x110000;&#99999999999;", "a\n"},
    {"a &lt;script&gt; b", "a <script> b\n"},
    /* blocks */
    {"<p>a</p><p>b</p>", "a\n\nb\n"},
    {"<h1>a</h1>b<h2>c</h2>", "a\n\nb\n\nc\n"},
    {"<div>a</div><div>b</div>", "a\nb\n"},
    {"<div><div>a</div></div><div><div><p>b</p></div></div>", "a\n\nb\n"},
    {"a<div>b</div>c", "a\nb\nc\n"},
    {"a<br>b<br/>c", "a\nb\nc\n"},
    {"a<br><br>b", "a\n\nb\n"},
    {"a<br><br><br><br>b", "a\n\nb\n"},
    {"<p>a<br></p><p><br>b</p>", "a\n\nb\n"},
    {"<div>a</div><div><br></div><div>b</div>", "a\n\nb\n"},
    {"<br><br>a<br><br>", "a\n"},
    {"a<hr>b", "a\n\n----------\n\nb\n"},
    {"<blockquote>a<p>b</p></blockquote>c", "> a\n\n> b\n\nc\n"},
    {"<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n\n> > b\n"},
    {"<pre>\n  a\n\n\tb  \n</pre>c", "  a\n\n\tb\n\nc\n"},
    {"<pre>a\n\n\n\nb</pre>", "a\n\n\n\nb\n"},
    {"<dl><dt>a</dt><dd>b</dd></dl>", "a\nb\n"},
    /* lists */
    {"<ul><li>a</li><li>b</li></ul>", "- a\n- b\n"},
    {"a<ul><li>b</li></ul>c", "a\n\n- b\n\nc\n"},
    {"<ol><li>a</li><li>b</li></ol>", "1. a\n2. b\n"},
    {"<ol start=\"9\"><li>a</li><li>b</li></ol>", "9. a\n10. b\n"},
    {"<ol start=\"-1\"><li>a</li><li>b</li><li>c</li></ol>", "-1. a\n0. b\n1. c\n"},
    {"<ol start=\" +7th\"><li>a</li></ol>", "7. a\n"},
    {"<ol start=\"x\"><li>a</li></ol><ul start=\"3\"><li>b</li></ul>", "1. a\n\n- b\n"},
    {"<ol><li>a</li><li value=\"7\">b</li><li>c</li><li value=\"x\">d</li></ol>",
	"1. a\n7. b\n8. c\n9. d\n"},
    {"<ul><li value=\"7\">a</li></ul>", "- a\n"},
    {"<ol start=\"5\" reversed><li>a</li><li>b</li><li value=\"2\">c</li><li>d</li></ol>",
	"5. a\n4. b\n2. c\n1. d\n"},
    {"<ol start=\"99999999999999999999\"><li>a</li></ol>", "1. a\n"},
    {"<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c\n"},
    {"<ol><li>a<ol><li>b</li></ol></li><li>c</li></ol>", "1. a\n  1. b\n2. c\n"},
    {"<ul><li><p>a</p><p>b</p></li><li><div>c</div></li></ul>", "- a\n  b\n- c\n"},
    {"<ul><li>a<br>b</li></ul>", "- a\n  b\n"},
    {"<ul><li></li><li>a</li></ul>b", "- a\n\nb\n"},
    {"<ol><li></li><li>a</li></ol>", "2. a\n"},
    {"<li>a</li>", "- a\n"},
    {"<blockquote><ul><li>a</li></ul></blockquote>", "> - a\n"},
    /* tables */
    {"<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>", "a | b\nc | d\n"},
    {"<table> <tr> <td> a </td> <td> b </td> </tr> </table>", "a | b\n"},
    {"<table><tr><td></td><td>b</td><td>&nbsp;</td><td>d</td></tr></table>", "b | d\n"},
    {"<table><tr><td><p>a</p></td><td><p>b</p></td></tr></table>", "a\n\nb\n"},
    {"<table><tr><td><table><tr><td>a</td></tr></table></td><td>b</td></tr></table>c",
	"a\n\nb\n\nc\n"},
    {"<table><caption>a</caption><tr><td>b</td></tr></table>", "a\nb\n"},
    /* links and pictures */
    {"<a href=\"https://x.org/?a=b&amp;c=d\">text</a>, y", "text (https://x.org/?a=b&c=d), y\n"},
    {"<a href=\"https://x.org/\">x.org</a>", "x.org\n"},
    {"<a href=\"https://x.org\">https://x.org</a>", "https://x.org\n"},
    {"<a href=\"mailto:a@b.co?subject=hi\">us</a>", "us (a@b.co)\n"},
    {"<a href=\"mailto:a@b.co\">a@b.co</a>", "a@b.co\n"},
    {"<a href=\"#top\">top</a> <a>x</a> <a name=\"y\">y</a>", "top x y\n"},
    {"<a href=\"javascript:x\">y</a>", "y\n"},
    {"<a href=' https://x.org/a\n b '>y</a>", "y (https://x.org/a%20b)\n"},
    {"<a href=https://x.org>a</a>b", "a (https://x.org)b\n"},
    {"<p>a <a href=\"https://x.org\"> b </a> c", "a b (https://x.org) c\n"},
    {"<a href=\"https://x.org\"><div>a</div></a>b", "a (https://x.org)\nb\n"},
    {"<a href=\"https://x.org\"></a>a", "a\n"},
    {"<a href=\"https://x.org\"><img src=\"y\"></a>", "https://x.org\n"},
    {"<a href=\"https://x.org\"><img src=\"y\" alt=\"z\"></a>", "z (https://x.org)\n"},
    {"<a href=\"x\">a</a><a href=\"y\">b</a>", "a (x)b (y)\n"},
    {"a<img src=\"x\" alt=\" b  c \">d<img src=\"y\">", "a b c d\n"},
    {"<a href=\"mailto:a%2Bb@b.co\">a+b@b.co</a> <a href=\"tel:%2B49%2030\">call</a>",
	"a+b@b.co call (+49 30)\n"},
    {"<head><base href=\"https://x.org/a/b\"></head><a href=\"c?d=1\">e</a>",
	"e (https://x.org/a/c?d=1)\n"},
    {"<base target=\"_blank\"><base href=\"https://x.org\"><base href=\"https://y.org\">"
     "<a href=\"/c\">e</a> <a href=\"//z.org/f\">g</a> <a href=\"https://h.org/\">i</a> "
     "<a href=\"#j\">j</a> <a href=\"mailto:a@b.co\">k</a> <a href=\"../l m\">l</a>",
	"e (https://x.org/c) g (https://z.org/f) i (https://h.org/) j k (a@b.co) l "
	"(https://x.org/l%20m)\n"},
    {"<base href=\"https://x.org/a/\"><a href=\"b\">x.org/a/b</a> <a href=\"b\"><img "
     "src=\"c\"></a>",
	"x.org/a/b https://x.org/a/b\n"},
    {"<base href=\"/x\"><base href=\"javascript:x\"><a href=\"b\">c</a>", "c (b)\n"},
    {"<map><area href=\"x\" alt=\"a b\"><area href=\"y\"><area alt=\"c\"></map>d",
	"a b (x)\ny\nd\n"},
    {"<img src=\"x\" alt=\"Big sale\"><img src=\"y\" alt=\"50 %\"><img src=\"z\" alt=\"\">",
	"Big sale 50 %\n"},
    {"<a href=\"x\"><img alt=\"a\"></a><a href=\"y\"><img alt=\"b\"></a>", "a (x) b (y)\n"},
    {"(<img alt=\"a\">), <img alt=\"b\">.", "(a), b.\n"},
    /* styles that part */
    {"<span style=\"display:block\">a</span><span style=\"display:block\">b</span>c", "a\nb\nc\n"},
    {"<a href=\"x\" style=\"color:red;Display : BLOCK\">a</a>b", "a (x)\nb\n"},
    {"<b style=\"display:inline-block\">a</b><b style=\"display:inline-block\">b</b>c", "a b c\n"},
    {"a<b style=\"display:inline-block\">b</b>, c(<b style=\"display:inline-block\">d</b>)",
	"a b, c(d)\n"},
    {"<img alt=\"a\" style=\"display:block\"><img alt=\"b\" style=\"display:block\">", "a\nb\n"},
    {"<b style=\"display:block\">a<b>b</b>c<i>d</i></b>e", "abcd\ne\n"},
    {"<b style=\"display:block\"><b style=\"display:block\">a</b>b</b>c", "a\nb\nc\n"},
    {"<b style=\"display:inline\">a</b>b<b style=\"display:x;color:block\">c</b>d", "abcd\n"},
    {"<b style=\"display:block;display:inline\">a</b>b", "ab\n"},
    /* left out */
    {"a<script>b</script>c<style>d</style>e", "ace\n"},
    {"<script>if (a<b) '</p>'</script>x", "x\n"},
    {"<script>'<!--'</script>x", "x\n"},
    {"<template><p>a</p></template>b", "b\n"},
    {"<select><option>a</select>b", "b\n"},
    {"<svg><text>a</text></svg>b", "b\n"},
    {"<!--[if mso]><p>a</p><![endif]-->b", "b\n"},
    {"<![if !mso]>a<![endif]>b", "ab\n"},
    {"<div hidden>a<div>b</div>c</div>d", "d\n"},
    {"<div style=\"display:none\">a</div>b", "b\n"},
    {"<span style='color:red; DISPLAY : None !important'>a</span>b", "b\n"},
    {"<div style=\"display:block\">a</div>b", "a\nb\n"},
    {"<div style=\"max-height:0;overflow:hidden\">a</div>b", "b\n"},
    {"<div style=\"Max-Height : 0px !important\">a</div>b", "b\n"},
    {"<div style=\"max-height:0.0em\">a</div>b", "b\n"},
    {"<div style=\"max-height:0.5em\">a</div><div style=\"max-height:10px\">b</div>", "a\nb\n"},
    {"<div style=\"max-height:\">a</div><div style=\"line-max-height:0\">b</div>", "a\nb\n"},
    {"<span style=\"color:#fff;mso-hide:all\">a</span>b", "b\n"},
    {"<a href=\"x\" style=\"mso-hide:all\">a</a>b", "a (x)b\n"},
    {"<div style=\"mso-hide:none;;:;display\">a</div>", "a\n"},
    {"<img style=\"display:none\" alt=\"a\">b", "b\n"},
    {"<ol><li hidden>a</li><li>b</li></ol>", "1. b\n"},
    /* what is not quite html */
    {"a < b <3 <", "a < b <3 <\n"},
    {"<p a=\"<b>\" c='>' d=e/>x", "x\n"},
    {"a</ x>b<?php x?>c<!x>d", "abcd\n"},
    {"a<!-->b<!---->c", "abc\n"},
    {"<P>A</P><UL><LI>B</UL>", "A\n\n- B\n"},
    {"</p></div></ul></ol></li></pre></blockquote></a>a", "a\n"},
    {"<x-y>a</x-y>", "a\n"},
    {"a<p b=\"c", "a\n"},
    {"a<!-- b", "a\n"},
    {"a<script>b", "a\n"},
};

/* Only the tree gives these results. */
static const struct textpart_case tree_cases[] = {
    {"<ol reversed><li>a</li><li>b<ol reversed><li>x</li></ol></li><li hidden>c</li></ol>",
	"2. a\n1. b\n  1. x\n"},
    {"<ol reversed><li>a<li>b</ol>", "2. a\n1. b\n"},
    {"<ol reversed></ol><ol><li>a</li></ol>", "1. a\n"},
    {"<p hidden>a<p>b", "b\n"},
    {"<ul><li hidden>a<li>b</ul>", "- b\n"},
    {"&CounterClockwiseContourIntegral;", "∳\n"},
    {"&#146;", "’\n"},
    {"<table>a<tr><td>b</table>", "a\n\nb\n"},
};

static void
textpart_expect(const struct textpart_case *one)
{
	AUTO(html) html = html_parse(one->html, strlen(one->html));
	g_autofree char *of_tree = html_textpart_of(html);
	g_autofree char *got = html_textpart_from_html(one->html, strlen(one->html));

	cr_expect_str_eq(of_tree, one->want, "%s, with a tree:\n got [%s]\nwant [%s]", one->html,
	    of_tree, one->want);
	cr_expect_str_eq(got, one->want, "%s:\n got [%s]\nwant [%s]", one->html, got, one->want);
}

Test(textpart, is_what_a_reader_of_the_html_would_read)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		textpart_expect(&cases[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(tree_cases); i++)
		textpart_expect(&tree_cases[i]);
}

/* The same cases behind too many tags for a tree. */
Test(textpart, is_the_same_for_documents_that_are_too_large_for_a_tree)
{
	g_autoptr(GString) html = g_string_new(NULL);

	for (int i = 0; i <= LIMIT_PARSED_HTML_TAGS; i++)
		g_string_append(html, "<!---->");
	gsize front = html->len;
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_string_truncate(html, front);
		g_string_append(html, cases[i].html);
		g_autofree char *got = html_textpart_from_html(html->str, html->len);
		cr_expect_str_eq(got, cases[i].want, "%s, without a tree:\n got [%s]\nwant [%s]",
		    cases[i].html, got, cases[i].want);
	}
}

/* Reads every prefix of a document, each exactly in its allocation, so that the sanitizer sees a
   read past its end. */
Test(textpart, reads_no_further_than_the_size_it_was_given)
{
	static const char tail[] =
	    "<!--a--><p style=\"display:none\">&amp;&#x41;</p><a href='x'>y</a><pre> z</pre>"
	    "<script>a</script><ol start=3><li>x</ol>";

	for (int front = 0; front <= LIMIT_PARSED_HTML_TAGS + 1;
	     front += LIMIT_PARSED_HTML_TAGS + 1) {
		for (gsize cut = 1; cut < strlen(tail); cut++) {
			g_autofree char *source = g_malloc(front + cut);
			memset(source, '<', front);
			memcpy(source + front, tail, cut);
			g_autofree char *got = html_textpart_from_html(source, front + cut);
			cr_expect(got && g_utf8_validate(got, -1, NULL));
		}
	}
}

Test(textpart, leaves_out_a_nul)
{
	static const char html[] = "a\0b<p title='\0'>c\0</p>";
	g_autofree char *got = html_textpart_from_html(html, sizeof(html) - 1);

	cr_assert(strstr(got, "c"), "got %s", got);
}

Test(textpart, does_not_indent_without_end)
{
	g_autoptr(GString) html = g_string_new(NULL);

	for (int i = 0; i < 2000; i++)
		g_string_append(html, "<ul><blockquote><li>x");
	g_autofree char *got = html_textpart_from_html(html->str, html->len);
	g_auto(GStrv) lines = g_strsplit(got, "\n", -1);
	for (int i = 0; lines[i]; i++)
		cr_expect(strlen(lines[i]) < 60, "line %d: %s", i, lines[i]);
}

/* The largest html that is allowed, of the costliest or deepest elements. */
Test(textpart, is_bounded_on_hostile_input, .timeout = 900)
{
	static const char *const patterns[] = {"<div>", "<", "<a ", "<a x='\"", "<!",
	    "<script></scrip", "&#1", "&aaaaaaaa", "&zwnj;", "<ul><li>x", "<pre> \n", "<a href=x>y",
	    "a\xe2\x80\x8c", "\xc3\xbc", "<tr><td>x", "<hr>", "<p hidden>", "<p style=\"display",
	    "<b style=display:block>a", "<ol reversed>", "<p style=\"a:b;a:b;",
	    "<base href=http://x.org/a><a href=y>z"};

	for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++) {
		GString *html = g_string_sized_new(LIMIT_HTML_BYTES + 100);
		while (html->len < LIMIT_HTML_BYTES)
			g_string_append(html, patterns[i]);
		g_autofree char *got = html_textpart_from_html(html->str, html->len);
		cr_expect(
		    strlen(got) <= LIMIT_TEXT_BYTES, "%s: got %zu bytes", patterns[i], strlen(got));
		cr_expect(
		    g_utf8_validate(got, -1, NULL), "%s: cut within a character", patterns[i]);
		g_string_free(html, TRUE);
	}
}

/* Limits the memory that the process can still get. */
static void
allow_memory(gsize more)
{
#ifndef __SANITIZE_ADDRESS__ /* it reserves terabytes */
	g_autofree char *pages = NULL;
	struct rlimit limit;

	cr_assert(g_file_get_contents("/proc/self/statm", &pages, NULL, NULL));
	limit.rlim_cur = limit.rlim_max =
	    g_ascii_strtoull(pages, NULL, 10) * (gsize)sysconf(_SC_PAGESIZE) + more;
	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
#endif
}

/* Each pattern grows in the text, or is copied: without the limits the process would run out of
   memory. */
Test(textpart, takes_no_more_memory_than_it_may, .timeout = 900)
{
	static const char *const patterns[] = {"\na", "<br>a", "<li>a", "<hr>", "<a href=x>y",
	    "<p>a<p>", "<img alt='a  b'>", "&nbsp;a"};
	static const gsize sizes[] = {1000, LIMIT_MIB, LIMIT_HTML_BYTES};
	g_autoptr(GString) deep = g_string_new(NULL);

	for (int i = 0; i < 8; i++)
		g_string_append(deep, "<blockquote><ul>");
	g_string_append(deep, "<pre>");
	for (gsize i = 0; i < G_N_ELEMENTS(patterns) * G_N_ELEMENTS(sizes); i++) {
		gsize size = sizes[i % G_N_ELEMENTS(sizes)];
		const char *pattern = patterns[i / G_N_ELEMENTS(sizes)];
		g_autoptr(GString) html = g_string_sized_new(size);
		g_string_assign(html, deep->str);
		while (html->len + strlen(pattern) <= size)
			g_string_append(html, pattern);
		pid_t child = fork();
		if (child == 0) {
			/* the tree has a budget of its own */
			allow_memory(html->len * LIMIT_DERIVED_TEXT_GROWTH +
				     (size <= LIMIT_PARSED_HTML_BYTES ? 65 : 1) * LIMIT_MIB);
			html_textpart_from_html(html->str, html->len);
			_exit(0);
		}
		int status;
		cr_assert_eq(waitpid(child, &status, 0), child);
		cr_expect_eq(status, 0, "%s, %zu bytes: out of memory", pattern, size);
		g_autofree char *got = html_textpart_from_html(html->str, html->len);
		cr_expect(strlen(got) <= html->len * LIMIT_DERIVED_TEXT_GROWTH &&
			      strlen(got) <= LIMIT_TEXT_BYTES,
		    "%s, %zu bytes: got %zu", pattern, size, strlen(got));
	}
}

/* An older parser turns a character reference that is far too large into bytes, a newer one into
   U+FFFD. */
Test(textpart, shows_no_link_that_is_no_utf8)
{
	static const char html[] = "<a href=\"http://x&#x19ff99999999999999999999;\">y</a>";
	g_autofree char *text = html_textpart_from_html(html, strlen(html));

	cr_expect(strcmp(text, "y\n") == 0 || strcmp(text, "y (http://x\xef\xbf\xbd)\n") == 0,
	    "got %s", text);
}

/* One link as long as the largest document. */
Test(textpart, does_not_copy_a_long_link)
{
	g_autoptr(GString) html = g_string_new("<a href='x");

	while (html->len < LIMIT_HTML_BYTES - 10)
		g_string_append(html, " x");
	g_string_append(html, "'>y</a>");
	allow_memory(html->len * LIMIT_DERIVED_TEXT_GROWTH);
	g_autofree char *got = html_textpart_from_html(html->str, html->len);
	cr_expect_str_eq(got, "y\n");
}

Test(textpart, is_cut_between_characters)
{
	static const char *const patterns[] = {"\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "a"};

	for (gsize i = 0; i < G_N_ELEMENTS(patterns); i++)
		for (gsize front = 0; front < 4; front++) {
			g_autoptr(GString) html = g_string_new(NULL);
			for (gsize n = 0; n < front; n++)
				g_string_append_c(html, 'x');
			while (html->len <= LIMIT_TEXT_BYTES + 10)
				g_string_append(html, patterns[i]);
			g_autofree char *got = html_textpart_from_html(html->str, html->len);
			cr_expect(
			    strlen(got) > LIMIT_TEXT_BYTES - 4 && strlen(got) <= LIMIT_TEXT_BYTES);
			cr_expect(g_utf8_validate(got, -1, NULL) && g_str_has_suffix(got, "\n"));
		}
}

Test(textpart, does_not_overflow_the_stack, .timeout = 900)
{
	static const char *const patterns[] = {"<div>", "<b>", "<ul><li>", "<table><tr><td>",
	    "<svg>", "<template>", "<blockquote>", "<a>"};

	for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++) {
		/* as deep as a tree may be, and 100,000 */
		for (int depth = LIMIT_PARSED_HTML_TAGS / 3; depth < 400000; depth *= 30) {
			GString *html = g_string_new(NULL);
			for (int n = 0; n < depth; n++)
				g_string_append(html, patterns[i]);
			g_string_append(html, "x");
			g_autofree char *got = html_textpart_from_html(html->str, html->len);
			bool unseen = strcmp(patterns[i], "<svg>") == 0 ||
				      strcmp(patterns[i], "<template>") == 0;
			cr_expect(unseen || strstr(got, "x"), "%s %d times: got %s", patterns[i],
			    depth, got);
			g_string_free(html, TRUE);
		}
	}
}
