/* SPDX-License-Identifier: MIT */
/* html: the links and the text of any document, parsed and tag by tag. */
#include "html/html.h"

#include <string.h>

#include "base/limits/email.h"
#include "base/limits/template.h"
#include "html/links.h"
#include "html/tags.h"
#include "html/textpart.h"
#include "tests/fuzz/fuzz.h"

static const struct html_link *
html_fuzzer_link_at(const struct html_links *links, guint i)
{
	return &g_array_index(links->links, struct html_link, i);
}

static void
html_fuzzer_check_text(const char *text, gsize html_size)
{
	gsize size = strlen(text);

	g_assert(g_utf8_validate(text, -1, NULL));
	g_assert(size <= html_size * LIMIT_DERIVED_TEXT_GROWTH && size <= LIMIT_TEXT_BYTES);
	g_assert(size == 0 || (text[size - 1] == '\n' && size >= 2));
	for (const char *p = text; *p; p++)
		g_assert(*p == '\n' || *p == '\t' || !g_ascii_iscntrl(*p));
}

/* A text that is read without a tree is the same. */
static void
check_quick_text(const struct html *html, const char *text)
{
	gsize size;
	const char *source = html_source(html, &size);
	g_autofree char *quick = html_textpart_from_html(source, size);

	if (html_tree(html))
		g_assert_cmpstr(quick, ==, text);
}

static void
check_link(const struct html_link *link, gsize html_size, gsize after)
{
	const char *at = link->destination;

	g_assert(link->start >= after && link->size <= html_size);
	g_assert(link->start <= html_size - link->size);
	g_assert(g_utf8_validate(at, -1, NULL) && strlen(at) <= LIMIT_LINK_BYTES);
	g_assert(g_ascii_strncasecmp(at, "http://", 7) == 0 ||
		 g_ascii_strncasecmp(at, "https://", 8) == 0);
	g_assert(!strpbrk(at, "\r\n\t"));
}

/* In the place of each link its number. */
static GPtrArray *
number_urls(const struct html_links *links)
{
	GPtrArray *urls = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < links->links->len; i++)
		g_ptr_array_add(urls, g_strdup_printf("https://p.example/t/c/%u", i));
	return urls;
}

/* The rewritten html has the other links in the same order, and no more. */
static void
check_rewritten(const char *source, gsize size, const struct html_links *links)
{
	g_autoptr(GPtrArray) urls = number_urls(links);
	gsize rewritten_size;
	g_autofree char *rewritten = html_links_rewrite(
	    source, size, links, (const char *const *)urls->pdata, NULL, &rewritten_size);
	AUTO(html) html = html_parse(rewritten, rewritten_size);
	AUTO(html_links) again = html_links_find(html);

	if (!html_tree(html))
		return;
	g_assert_cmpuint(again->links->len, ==, links->links->len);
	for (guint i = 0; i < urls->len; i++)
		g_assert_cmpstr(html_fuzzer_link_at(again, i)->destination, ==, urls->pdata[i]);
}

/* Html that ends in a tag may have another meaning with the pixel behind it; all else stays. */
static void
check_pixel(const char *source, gsize size, const struct html_links *links)
{
	static const char pixel[] = "https://p.example/t/o/1";
	g_autofree const char **urls = g_new0(const char *, links->links->len + 1);
	gsize with_size;
	g_autofree char *with = html_links_rewrite(source, size, links, urls, pixel, &with_size);
	gsize added = with_size - size;

	g_assert(with_size > size + strlen(pixel) && added < 512);
	g_assert(memcmp(with, source, links->end) == 0);
	g_assert(memcmp(with + links->end + added, source + links->end, size - links->end) == 0);
}

static void
check_kept(const char *source, gsize size, const struct html_links *links)
{
	g_autofree const char **urls = g_new0(const char *, links->links->len + 1);
	gsize kept_size;
	g_autofree char *kept = html_links_rewrite(source, size, links, urls, NULL, &kept_size);

	g_assert(kept_size == size && memcmp(kept, source, size) == 0);
}

static void
try_document(const char *source, gsize size)
{
	AUTO(html) html = html_parse(source, size);
	AUTO(html_links) links = html_links_find(html);
	g_autofree char *text = html_textpart_of(html);
	gsize after = 0;

	html_fuzzer_check_text(text, size);
	check_quick_text(html, text);
	g_assert(links->end <= size);
	for (guint i = 0; i < links->links->len; i++) {
		check_link(html_fuzzer_link_at(links, i), size, after);
		after = html_fuzzer_link_at(links, i)->start + html_fuzzer_link_at(links, i)->size;
	}
	check_kept(source, size, links);
	check_rewritten(source, size, links);
	check_pixel(source, size, links);
}

/* Each token is made of bytes of its own: a character reference of two bytes or more gives at most
   two characters. */
static void
try_tags(const char *source, gsize size)
{
	struct html_tags tags;
	enum html_token token;
	gsize count = 0, bytes = 0;

	html_tags_init(&tags, source, size);
	while ((token = html_tags_next(&tags)) != HTML_TOKEN_END) {
		g_assert(++count <= size);
		if (token == HTML_TOKEN_TEXT)
			bytes += tags.text->len;
	}
	g_assert(bytes <= 4 * size);
	html_tags_clear(&tags);
}

/* The same document behind a tag that is too much for html/html.h. */
static void
try_large(const char *source)
{
	g_autoptr(GString) html = g_string_new("<p");

	for (guint i = 0; i <= LIMIT_PARSED_HTML_TAG_ATTRIBUTES; i++)
		g_string_append(html, " a");
	g_string_append_printf(html, ">%s", source);
	g_autofree char *text = html_textpart_from_html(html->str, html->len);
	html_fuzzer_check_text(text, html->len);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	if (!g_utf8_validate_len((const char *)data, size, NULL))
		return -1;
	g_autofree char *source = g_strndup((const char *)data, size);

	try_document(source, strlen(source));
	try_tags(source, strlen(source));
	try_large(source);
	return 0;
}
