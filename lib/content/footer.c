/* SPDX-License-Identifier: MIT */
/* Looks for the link to unsubscribe in filled contents, and adds a footer with it. */
#include "content/footer.h"

#include <string.h>

#include "content/content.h"
#include "html/textpart.h"

/* The part of a URL that no other has: its token. A text that says the URL may leave out its
   beginning. */
static const char *
token_of(const char *url)
{
	const char *slash = strrchr(url, '/');

	return slash ? slash + 1 : url;
}

static bool
footer_find(GBytes *bytes, const char *url)
{
	const char *token = token_of(url);
	gsize size = 0;
	const char *text = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	return text && memmem(text, size, token, strlen(token));
}

gsize
content_footer_place(const char *html, gsize size)
{
	static const char *const tags[] = {"</body", "</html"};

	for (gsize t = 0; t < G_N_ELEMENTS(tags); t++) {
		gsize length = strlen(tags[t]);

		for (gsize i = size >= length ? size - length + 1 : 0; i-- > 0;)
			if (html[i] == '<' && g_ascii_strncasecmp(html + i, tags[t], length) == 0)
				return i;
	}
	return size;
}

bool
content_footer_is_needed(const struct content *content, const char *url)
{
	if (!content->html)
		return !footer_find(content->text, url);
	return !footer_find(content->html, url) || !footer_find(content->shown, url);
}

/* The html with the footer at a place. */
static GBytes *
footer_insert(const char *html, gsize size, gsize place, const char *footer)
{
	GString *whole = g_string_sized_new(size + strlen(footer));

	g_string_append_len(whole, html, (gssize)place);
	g_string_append(whole, footer);
	g_string_append_len(whole, html + place, (gssize)(size - place));
	return g_string_free_to_bytes(whole);
}

static bool
footer_is_shown(GBytes *html, const char *url)
{
	gsize size;
	const char *source = g_bytes_get_data(html, &size);
	char *text = html_textpart_from_html(source, size);
	g_autoptr(GBytes) shown = g_bytes_new_take(text, strlen(text));

	return footer_find(shown, url);
}

/* Adds the footer to html. An element or a comment that is not closed would hide it at the end:
   then it stands in front. */
static void
add_to_html(struct content *content, const char *url)
{
	g_autofree char *link = g_markup_escape_text(url, -1);
	g_autofree char *footer =
	    g_strconcat(CONTENT_FOOTER_BEFORE, link, CONTENT_FOOTER_BEHIND, NULL);
	gsize size;
	const char *html = g_bytes_get_data(content->html, &size);
	GBytes *whole = footer_insert(html, size, content_footer_place(html, size), footer);

	if (!footer_is_shown(whole, url)) {
		g_bytes_unref(whole);
		whole = footer_insert(html, size, 0, footer);
	}
	g_bytes_unref(content->html);
	content->html = whole;
}

static void
add_to_text(struct content *content, const char *url)
{
	g_autofree char *footer = g_strdup_printf(CONTENT_FOOTER_TEXT("%s"), url);
	gsize size;
	const char *text = g_bytes_get_data(content->text, &size);
	GBytes *whole = footer_insert(text ? text : "", size, size, footer);

	g_bytes_unref(content->text);
	content->text = whole;
}

void
content_footer_add(struct content *content, const char *url)
{
	if (content->html)
		add_to_html(content, url);
	if (!footer_find(content->text, url))
		add_to_text(content, url);
}
