/* SPDX-License-Identifier: MIT */
/* Finds and replaces the links of an html body, by their positions in its source. */
#include "html/links.h"

#include <stdbool.h>
#include <string.h>

#include "base/limits/email.h"
#include "html/html.h"
#include "text/hostname.h"

static void
clear_link(void *link)
{
	g_free(((struct html_link *)link)->destination);
}

/* The value of an href as a browser reads it (URL Standard, "basic URL parser"): without
   controls and spaces around it, and without tabs and line breaks in it. The caller owns it. */
static char *
links_trim(const char *value)
{
	const char *end = value + strlen(value);
	GString *trimmed = g_string_new(NULL);

	while (*value && (guchar)*value <= ' ')
		value++;
	while (end > value && (guchar)end[-1] <= ' ')
		end--;
	for (; value < end; value++)
		if (!strchr("\t\r\n", *value))
			g_string_append_c(trimmed, *value);
	return g_string_free(trimmed, FALSE);
}

static bool
links_has_controls(const char *text)
{
	for (; *text; text++)
		if (g_ascii_iscntrl(*text))
			return true;
	return false;
}

/* Whether what follows the scheme begins with a host that a resolver can look up. The click would
   lead elsewhere, or nowhere, for a host of another script that has no ASCII form. */
static bool
has_host(const char *rest)
{
	gsize size = strcspn(rest, "/\\?#");
	g_autofree char *authority = g_strndup(rest, size);
	const char *at = strrchr(authority, '@');
	const char *host = at ? at + 1 : authority;

	if (g_str_is_ascii(host))
		return size > 0 && *host != ':' && *rest != ' ';
	g_autofree char *name = g_strndup(host, strcspn(host, ":"));
	g_autofree char *ascii = text_hostname_host(name);
	return ascii != NULL;
}

/* Whether this is an absolute http or https URL with a host, within the length limit. A character
   reference in the source may make it no UTF-8: then it stays as it is. */
static bool
is_trackable(const char *url)
{
	static const char *const schemes[] = {"http://", "https://"};

	if (strlen(url) > LIMIT_LINK_BYTES || links_has_controls(url) ||
	    !g_utf8_validate(url, -1, NULL))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(schemes); i++) {
		gsize size = strlen(schemes[i]);

		if (g_ascii_strncasecmp(url, schemes[i], size) == 0)
			return has_host(url + size);
	}
	return false;
}

/* The position of an attribute's value in the source, without its quotes; false when it has
   none. */
static bool
place(const GumboAttribute *attribute, const char *source, gsize size, struct html_link *link)
{
	const char *value = attribute->original_value.data;
	gsize length = attribute->original_value.length;

	if (!value || value < source || length == 0 || length > size ||
	    (gsize)(value - source) > size - length)
		return false;
	link->start = (gsize)(value - source);
	link->size = length;
	if (*value == '"' || *value == '\'') {
		if (length < 2 || value[length - 1] != *value)
			return false;
		link->start++;
		link->size -= 2;
	}
	return true;
}

char *
html_links_destination(const char *value)
{
	g_autofree char *destination = links_trim(value);

	return is_trackable(destination) ? g_steal_pointer(&destination) : NULL;
}

/* mark: NULL, or as in html_links_find_marked. */
static void
add_link(
    GArray *links, const GumboElement *element, const char *source, gsize size, const char *mark)
{
	struct html_link link;

	if (element->tag_namespace != GUMBO_NAMESPACE_HTML ||
	    (element->tag != GUMBO_TAG_A && element->tag != GUMBO_TAG_AREA))
		return;
	const GumboAttribute *href = gumbo_get_attribute(&element->attributes, "href");
	if (!href || gumbo_get_attribute(&element->attributes, "data-no-track") ||
	    !place(href, source, size, &link))
		return;
	link.destination = mark && strstr(href->value, mark) ? g_strdup(href->value)
							     : html_links_destination(href->value);
	if (link.destination)
		g_array_append_val(links, link);
}

static const GumboVector *
children_of(const GumboNode *node)
{
	static const GumboVector none;

	switch (node->type) {
	case GUMBO_NODE_DOCUMENT:
		return &node->v.document.children;
	case GUMBO_NODE_ELEMENT:
	case GUMBO_NODE_TEMPLATE:
		return &node->v.element.children;
	default:
		return &none;
	}
}

/* Visits every node, in any order, without recursion: the tree may be deep. */
static void
links_walk(GArray *links, const GumboNode *root, const char *source, gsize size, const char *mark)
{
	g_autoptr(GPtrArray) left = g_ptr_array_new();

	g_ptr_array_add(left, (gpointer)root);
	while (left->len > 0) {
		const GumboNode *node = g_ptr_array_steal_index_fast(left, left->len - 1);
		const GumboVector *children = children_of(node);

		if (node->type == GUMBO_NODE_ELEMENT)
			add_link(links, &node->v.element, source, size, mark);
		for (guint i = 0; i < children->length; i++)
			g_ptr_array_add(left, children->data[i]);
	}
}

static int
links_by_place(const void *a, const void *b)
{
	const struct html_link *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* An unclosed element may stand in the tree several times. */
static void
sort(GArray *links)
{
	g_array_sort(links, links_by_place);
	for (guint i = links->len; i-- > 1;)
		if (g_array_index(links, struct html_link, i).start ==
		    g_array_index(links, struct html_link, i - 1).start)
			g_array_remove_index(links, i);
}

/* The offset of the last end tag of this name in the bytes of the source; size without one. */
static gsize
find_last(const char *source, gsize size, const char *tag)
{
	gsize length = strlen(tag);

	for (gsize i = size >= length ? size - length + 1 : 0; i-- > 0;)
		if (source[i] == '<' && g_ascii_strncasecmp(source + i, tag, length) == 0)
			return i;
	return size;
}

static bool
ends_at(const GumboNode *node, const char *source, gsize size, gsize *end_r)
{
	const char *tag = node->v.element.original_end_tag.data;

	if (node->v.element.original_end_tag.length == 0 || tag < source || tag >= source + size)
		return false;
	*end_r = (gsize)(tag - source);
	return true;
}

static gsize
links_find_end(const GumboNode *root, const char *source, gsize size)
{
	const GumboVector *children = children_of(root);
	gsize end;

	for (guint i = 0; i < children->length; i++) {
		const GumboNode *child = children->data[i];

		if (child->type == GUMBO_NODE_ELEMENT && child->v.element.tag == GUMBO_TAG_BODY &&
		    ends_at(child, source, size, &end))
			return end;
	}
	return ends_at(root, source, size, &end) ? end : size;
}

struct html_links *
html_links_new(void)
{
	struct html_links *links = g_rc_box_new0(struct html_links);

	links->links = g_array_new(FALSE, FALSE, sizeof(struct html_link));
	g_array_set_clear_func(links->links, clear_link);
	return links;
}

struct html_links *
html_links_find_marked(const struct html *html, const char *mark)
{
	struct html_links *found = html_links_new();
	const GumboOutput *tree = html_tree(html);
	gsize size;
	const char *source = html_source(html, &size);

	if (tree) {
		links_walk(found->links, tree->root, source, size, mark);
		sort(found->links);
		found->end = links_find_end(tree->root, source, size);
	} else {
		found->end = find_last(source, size, "</body");
	}
	return found;
}

struct html_links *
html_links_find(const struct html *html)
{
	return html_links_find_marked(html, NULL);
}

struct html_links *
html_links_ref(struct html_links *links)
{
	return g_rc_box_acquire(links);
}

static void
links_clear(void *links)
{
	g_array_unref(((struct html_links *)links)->links);
}

void
html_links_free(struct html_links *links)
{
	g_rc_box_release_full(links, links_clear);
}

/* Appends a URL, escaped for an attribute with any quotes. */
static void
links_append_url(GString *out, const char *url)
{
	for (; *url; url++) {
		if (strchr("&\"'<>`", *url))
			g_string_append_printf(out, *url == '&' ? "&amp;" : "&#%d;", *url);
		else
			g_string_append_c(out, *url);
	}
}

static void
append_pixel(GString *out, const char *url)
{
	g_string_append(out, "<img src=\"");
	links_append_url(out, url);
	g_string_append(out, "\" width=\"1\" height=\"1\" alt=\"\" style=\"display:block;"
			     "width:1px;height:1px;border:0\">");
}

/* Appends the source from at to the end of the body, and there the pixel; returns the end of the
   body. */
static gsize
end_body(GString *out, const char *source, gsize at, gsize end, const char *pixel)
{
	g_string_append_len(out, source + at, (gssize)(end - at));
	append_pixel(out, pixel);
	return end;
}

char *
html_links_rewrite(const char *source, gsize size, const struct html_links *links,
    const char *const *urls, const char *pixel, gsize *size_r)
{
	GString *out = g_string_sized_new(size + 512);
	bool pending = pixel;
	gsize at = 0;

	for (guint i = 0; i < links->links->len; i++) {
		const struct html_link *link = &g_array_index(links->links, struct html_link, i);

		if (pending && link->start > links->end) {
			at = end_body(out, source, at, links->end, pixel);
			pending = false;
		}
		if (!urls[i])
			continue;
		g_string_append_len(out, source + at, (gssize)(link->start - at));
		links_append_url(out, urls[i]);
		at = link->start + link->size;
	}
	if (pending)
		at = end_body(out, source, at, links->end, pixel);
	g_string_append_len(out, source + at, (gssize)(size - at));
	*size_r = out->len;
	return g_string_free(out, FALSE);
}
