/* SPDX-License-Identifier: MIT */
/* Derives the text alternative of an html body. */
#include "mail/textpart.h"

#include <string.h>

#include "base/limits.h"
#include "mail/flow.h"
#include "mail/html.h"
#include "mail/meaning.h"
#include "mail/tags.h"

static const char *
attribute(const GumboElement *element, const char *name)
{
	const GumboAttribute *found = gumbo_get_attribute(&element->attributes, name);

	return found ? found->value : NULL;
}

/* Opens the element, unless it is one to skip. */
static bool
enter(struct mail_flow *flow, const GumboElement *element)
{
	struct mail_tag tag = {
	    .name = element->tag,
	    .href = attribute(element, "href"),
	    .alt = attribute(element, "alt"),
	    .start = attribute(element, "start"),
	    .style = attribute(element, "style"),
	    .hidden = attribute(element, "hidden") != NULL,
	};

	if (element->tag == GUMBO_TAG_HEAD || mail_meaning_skips(&tag))
		return false;
	mail_meaning_open(flow, &tag);
	return true;
}

/* An element on the way from the root to where the walk is. */
struct step {
	const GumboNode *node;
	guint next; /* of its children */
};

/* Walks the tree with a stack of its own: there is no telling how deep it is. */
static void
walk(struct mail_flow *flow, const GumboNode *root)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(struct step));
	struct step step = {.node = root};

	g_array_append_val(path, step);
	while (path->len > 0 && !mail_flow_is_full(flow)) {
		struct step *top = &g_array_index(path, struct step, path->len - 1);
		const GumboElement *element = &top->node->v.element;
		if (top->next == element->children.length) {
			mail_meaning_close(flow, element->tag);
			g_array_set_size(path, path->len - 1);
			continue;
		}
		const GumboNode *child = element->children.data[top->next++];
		if (child->type == GUMBO_NODE_ELEMENT) {
			step.node = child;
			if (enter(flow, &child->v.element))
				g_array_append_val(path, step);
		} else if (child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_CDATA ||
			   child->type == GUMBO_NODE_WHITESPACE) {
			mail_flow_text(flow, child->v.text.text, strlen(child->v.text.text));
		}
	}
}

/* Elements without content or end. */
static bool
is_void(GumboTag name)
{
	switch (name) {
	case GUMBO_TAG_AREA:
	case GUMBO_TAG_BASE:
	case GUMBO_TAG_BR:
	case GUMBO_TAG_COL:
	case GUMBO_TAG_HR:
	case GUMBO_TAG_IMG:
	case GUMBO_TAG_INPUT:
	case GUMBO_TAG_LINK:
	case GUMBO_TAG_META:
		return true;
	default:
		return false;
	}
}

/* Reads tag by tag, without a tree. */
static void
read_tags(struct mail_flow *flow, const char *source, gsize size)
{
	struct mail_tags tags;
	enum mail_token token;
	GumboTag skipped = GUMBO_TAG_LAST;
	gsize depth = 0; /* of elements of that name, while one is skipped */

	mail_tags_init(&tags, source, size);
	while (!mail_flow_is_full(flow) && (token = mail_tags_next(&tags)) != MAIL_TOKEN_END) {
		if (depth > 0) {
			if (token != MAIL_TOKEN_TEXT && tags.tag.name == skipped)
				depth += token == MAIL_TOKEN_OPEN ? 1 : -1;
		} else if (token == MAIL_TOKEN_TEXT) {
			mail_flow_text(flow, tags.text->str, tags.text->len);
		} else if (token == MAIL_TOKEN_CLOSE) {
			mail_meaning_close(flow, tags.tag.name);
		} else if (!mail_meaning_skips(&tags.tag)) {
			mail_meaning_open(flow, &tags.tag);
		} else if (!is_void(tags.tag.name)) {
			skipped = tags.tag.name;
			depth = 1;
		}
	}
	mail_tags_clear(&tags);
}

char *
mail_textpart_of(const struct mail_html *html)
{
	const GumboOutput *tree = mail_html_tree(html);
	gsize size;
	const char *source = mail_html_source(html, &size);
	struct mail_flow *flow =
	    mail_flow_new(MIN(size * LIMIT_DERIVED_TEXT_GROWTH, LIMIT_TEXT_BYTES));

	if (tree)
		walk(flow, tree->root);
	else
		read_tags(flow, source, size);
	return mail_flow_finish(flow);
}

char *
mail_textpart_from_html(const char *source, gsize size)
{
	AUTO(mail_html) html = mail_html_parse(source, size);

	return mail_textpart_of(html);
}
