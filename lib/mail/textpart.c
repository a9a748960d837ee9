/* SPDX-License-Identifier: MIT */
/* Derives the text alternative of an html body. */
#include "mail/textpart.h"

#include <string.h>

#include "base/limits.h"
#include "mail/flow.h"
#include "mail/html.h"
#include "mail/nesting.h"
#include "mail/tags.h"

#define SPACES " \t\n\r\f"

enum kind {
	INLINE,
	LINE,
	PARAGRAPH,
	QUOTE,
	PRE,
	LIST,
	ITEM,
	ROW,
	CELL,
	LINK,
	IMAGE,
	BREAK,
	RULE,
	SKIPPED,
};

static const guint8 kinds[GUMBO_TAG_LAST] = {
    [GUMBO_TAG_A] = LINK,
    [GUMBO_TAG_ADDRESS] = LINE,
    [GUMBO_TAG_ARTICLE] = LINE,
    [GUMBO_TAG_ASIDE] = LINE,
    [GUMBO_TAG_BLOCKQUOTE] = QUOTE,
    [GUMBO_TAG_BODY] = LINE,
    [GUMBO_TAG_BR] = BREAK,
    [GUMBO_TAG_CAPTION] = LINE,
    [GUMBO_TAG_CENTER] = LINE,
    [GUMBO_TAG_DD] = LINE,
    [GUMBO_TAG_DETAILS] = LINE,
    [GUMBO_TAG_DIR] = LIST,
    [GUMBO_TAG_DIV] = LINE,
    [GUMBO_TAG_DL] = PARAGRAPH,
    [GUMBO_TAG_DT] = LINE,
    [GUMBO_TAG_FIELDSET] = LINE,
    [GUMBO_TAG_FIGCAPTION] = LINE,
    [GUMBO_TAG_FIGURE] = PARAGRAPH,
    [GUMBO_TAG_FOOTER] = LINE,
    [GUMBO_TAG_FORM] = LINE,
    [GUMBO_TAG_H1] = PARAGRAPH,
    [GUMBO_TAG_H2] = PARAGRAPH,
    [GUMBO_TAG_H3] = PARAGRAPH,
    [GUMBO_TAG_H4] = PARAGRAPH,
    [GUMBO_TAG_H5] = PARAGRAPH,
    [GUMBO_TAG_H6] = PARAGRAPH,
    [GUMBO_TAG_HEADER] = LINE,
    [GUMBO_TAG_HR] = RULE,
    [GUMBO_TAG_IFRAME] = SKIPPED,
    [GUMBO_TAG_IMG] = IMAGE,
    [GUMBO_TAG_LEGEND] = LINE,
    [GUMBO_TAG_LI] = ITEM,
    [GUMBO_TAG_MAIN] = LINE,
    [GUMBO_TAG_MENU] = LIST,
    [GUMBO_TAG_NAV] = LINE,
    [GUMBO_TAG_NOEMBED] = SKIPPED,
    [GUMBO_TAG_NOFRAMES] = SKIPPED,
    [GUMBO_TAG_OL] = LIST,
    [GUMBO_TAG_P] = PARAGRAPH,
    [GUMBO_TAG_PRE] = PRE,
    [GUMBO_TAG_SCRIPT] = SKIPPED,
    [GUMBO_TAG_SECTION] = LINE,
    [GUMBO_TAG_SELECT] = SKIPPED,
    [GUMBO_TAG_STYLE] = SKIPPED,
    [GUMBO_TAG_SUMMARY] = LINE,
    [GUMBO_TAG_SVG] = SKIPPED,
    [GUMBO_TAG_TABLE] = PARAGRAPH,
    [GUMBO_TAG_TD] = CELL,
    [GUMBO_TAG_TEMPLATE] = SKIPPED,
    [GUMBO_TAG_TEXTAREA] = SKIPPED,
    [GUMBO_TAG_TH] = CELL,
    [GUMBO_TAG_TITLE] = SKIPPED,
    [GUMBO_TAG_TR] = ROW,
    [GUMBO_TAG_UL] = LIST,
    [GUMBO_TAG_XMP] = PRE,
};

/* Whether the style says display:none. */
static bool
hides(const char *style)
{
	const char *p = style;

	while ((p = strcasestr(p, "display"))) {
		p += strlen("display");
		const char *value = p + strspn(p, SPACES);
		if (*value != ':')
			continue;
		value += 1 + strspn(value + 1, SPACES);
		if (g_ascii_strncasecmp(value, "none", strlen("none")) == 0)
			return true;
	}
	return false;
}

/* Whether the element of this tag is left out with its content: scripts and the like, and
   elements hidden by an attribute or display:none. */
static bool
is_left_out(const struct mail_tag *tag)
{
	return kinds[tag->name] == SKIPPED || tag->hidden || (tag->style && hides(tag->style));
}

static void
open_list(struct mail_flow *flow, const struct mail_tag *tag)
{
	gint64 start = tag->start ? g_ascii_strtoll(tag->start, NULL, 10) : 1;

	mail_flow_list_open(
	    flow, tag->name == GUMBO_TAG_OL, start > 0 && start < G_MAXINT32 ? start : 1);
}

static void
open_link(struct mail_flow *flow, const char *href)
{
	g_autofree char *url = href ? mail_flow_url(href) : NULL;

	mail_flow_link_open(flow, url);
}

/* Writes the plain text at the start of an element; close_tag that at its end. */
static void
open_tag(struct mail_flow *flow, const struct mail_tag *tag)
{
	switch (kinds[tag->name]) {
	case LINE:
		mail_flow_break(flow, 1);
		break;
	case PARAGRAPH:
		mail_flow_break(flow, 2);
		break;
	case QUOTE:
		mail_flow_quote_open(flow);
		break;
	case PRE:
		mail_flow_pre_open(flow);
		break;
	case LIST:
		open_list(flow, tag);
		break;
	case ITEM:
		mail_flow_item_open(flow);
		break;
	case ROW:
		mail_flow_row(flow);
		break;
	case CELL:
		mail_flow_cell(flow);
		break;
	case LINK:
		open_link(flow, tag->href);
		break;
	case IMAGE:
		mail_flow_picture(flow, tag->alt ? tag->alt : "");
		break;
	case BREAK:
		mail_flow_newline(flow);
		break;
	case RULE:
		mail_flow_rule(flow);
		break;
	default:
		break;
	}
}

static void
close_tag(struct mail_flow *flow, GumboTag name)
{
	switch (kinds[name]) {
	case LINE:
	case ROW:
		mail_flow_break(flow, 1);
		break;
	case PARAGRAPH:
		mail_flow_break(flow, 2);
		break;
	case QUOTE:
		mail_flow_quote_close(flow);
		break;
	case PRE:
		mail_flow_pre_close(flow);
		break;
	case LIST:
		mail_flow_list_close(flow);
		break;
	case ITEM:
		mail_flow_item_close(flow);
		break;
	case LINK:
		mail_flow_link_close(flow);
		break;
	default:
		break;
	}
}

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

	if (element->tag == GUMBO_TAG_HEAD || is_left_out(&tag))
		return false;
	open_tag(flow, &tag);
	return true;
}

/* An element on the path from the root to the current node. */
struct step {
	const GumboNode *node;
	guint next; /* the next child to visit */
};

/* Visits the tree with a stack of its own, since the tree may be deep. */
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
			close_tag(flow, element->tag);
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

/* The element that is left out. */
struct skipping {
	GumboTag name;
	gsize depth; /* of nested elements of this name; 0: nothing is left out */
};

/* Writes a token that is not the end. */
static void
write_token(struct mail_flow *flow, enum mail_token token, const struct mail_tags *tags,
    struct skipping *skipping)
{
	const struct mail_tag *tag = &tags->tag;

	if (skipping->depth > 0) {
		if (token != MAIL_TOKEN_TEXT && tag->name == skipping->name)
			skipping->depth += token == MAIL_TOKEN_OPEN ? 1 : -1;
	} else if (token == MAIL_TOKEN_TEXT) {
		mail_flow_text(flow, tags->text->str, tags->text->len);
	} else if (token == MAIL_TOKEN_CLOSE) {
		close_tag(flow, tag->name);
	} else if (!is_left_out(tag)) {
		open_tag(flow, tag);
	} else if (!is_void(tag->name)) {
		*skipping = (struct skipping){tag->name, 1};
	}
}

/* Reads tag by tag, without a tree. */
static void
read_tags(struct mail_flow *flow, const char *source, gsize size)
{
	struct skipping skipping = {GUMBO_TAG_LAST, 0};
	struct mail_tags tags;
	enum mail_token token;

	mail_tags_init(&tags, source, size);
	while (!mail_flow_is_full(flow) && (token = mail_tags_next(&tags)) != MAIL_TOKEN_END)
		write_token(flow, token, &tags, &skipping);
	mail_tags_clear(&tags);
}

/* Whether gumbo reads all characters as they are. A line that ends in CR LF becomes another one,
   but in the same text. */
static bool
has_kept_characters(const char *source, gsize size)
{
	const char *end = source + size;

	for (const char *p = source; p < end;) {
		guchar byte = (guchar)*p;
		gunichar c = byte < 0x80 ? byte : g_utf8_get_char_validated(p, end - p);
		if (c != '\r' && (c > G_MAXINT32 || !mail_html_keeps(c)))
			return false;
		p = byte < 0x80 ? p + 1 : g_utf8_next_char(p);
	}
	return true;
}

/* Reads tag by tag what has a tree as it is written. False where that is not sure. */
static bool
read_nested(struct mail_flow *flow, const char *source, gsize size)
{
	struct skipping skipping = {GUMBO_TAG_LAST, 0};
	struct mail_nesting nesting = {.depth = 0};
	struct mail_tags tags;
	enum mail_token token;
	bool nested = has_kept_characters(source, size);

	mail_tags_init(&tags, source, size);
	while (nested && (token = mail_tags_next(&tags)) != MAIL_TOKEN_END) {
		nested = mail_nesting_take(&nesting, token, &tags) && !mail_flow_is_full(flow);
		if (nested)
			write_token(flow, token, &tags, &skipping);
	}
	nested = nested && !tags.doubtful && mail_nesting_is_closed(&nesting) &&
		 !mail_flow_is_full(flow);
	mail_tags_clear(&tags);
	return nested;
}

gsize
mail_textpart_most(gsize html_size)
{
	return MIN(html_size * LIMIT_DERIVED_TEXT_GROWTH, LIMIT_TEXT_BYTES);
}

char *
mail_textpart_watch(const struct mail_html *html, mail_flow_link link, void *context)
{
	const GumboOutput *tree = mail_html_tree(html);
	gsize size;
	const char *source = mail_html_source(html, &size);
	struct mail_flow *flow = mail_flow_new(mail_textpart_most(size));

	mail_flow_watch(flow, link, context);
	if (tree)
		walk(flow, tree->root);
	else
		read_tags(flow, source, size);
	return mail_flow_finish(flow);
}

char *
mail_textpart_of(const struct mail_html *html)
{
	return mail_textpart_watch(html, NULL, NULL);
}

char *
mail_textpart_from_html(const char *source, gsize size)
{
	struct mail_flow *flow = mail_flow_new(mail_textpart_most(size));
	bool nested = read_nested(flow, source, size);
	char *text = mail_flow_finish(flow);

	if (nested)
		return text;
	g_free(text);
	AUTO(mail_html) html = mail_html_parse(source, size);
	return mail_textpart_of(html);
}
