/* SPDX-License-Identifier: MIT */
/* Derives the text alternative of an html body. */
#include "html/textpart.h"

#include <string.h>

#include "base/limits/email.h"
#include "base/limits/template.h"
#include "html/flow.h"
#include "html/html.h"
#include "html/nesting.h"
#include "html/tags.h"

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
	AREA,
	BASE,
	BREAK,
	RULE,
	SKIPPED,
};

static const guint8 kinds[GUMBO_TAG_LAST] = {
    [GUMBO_TAG_A] = LINK,
    [GUMBO_TAG_ADDRESS] = LINE,
    [GUMBO_TAG_AREA] = AREA,
    [GUMBO_TAG_ARTICLE] = LINE,
    [GUMBO_TAG_ASIDE] = LINE,
    [GUMBO_TAG_BASE] = BASE,
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

/* The ways in which a style shows an element, as far as its text is concerned. */
enum display {
	DISPLAY_INLINE,
	DISPLAY_APART, /* beside others, but not joined to them */
	DISPLAY_BLOCK,
	DISPLAY_NONE,
};

/* A declaration of a style. */
struct declaration {
	char name[16], value[16]; /* cut off; in lower case */
};

static void
copy_word(char word_r[16], const char *text, gsize size)
{
	gsize length = 0;

	for (; length < size && length < 15 && !strchr(SPACES "!;:", text[length]); length++)
		word_r[length] = g_ascii_tolower(text[length]);
	word_r[length] = '\0';
}

/* Reads the next declaration of a style at *p: its name and the first word of its value. */
static bool
next_declaration(const char **p, struct declaration *declaration_r)
{
	const char *name = *p + strspn(*p, SPACES ";");
	gsize size = strcspn(name, ";");
	const char *colon = memchr(name, ':', size);

	*p = name + size;
	copy_word(declaration_r->name, name, size);
	declaration_r->value[0] = '\0';
	if (colon) {
		const char *value = colon + 1 + strspn(colon + 1, SPACES);
		copy_word(declaration_r->value, value, (gsize)(MAX(*p, value) - value));
	}
	return size > 0;
}

/* Whether a length is zero: "0", "0px", "0.0em". */
static bool
is_zero(const char *value)
{
	const char *unit = value + strspn(value, "0.");

	return *value == '0' && !unit[strspn(unit, "abcdefghijklmnopqrstuvwxyz%")];
}

static enum display
display_of(const struct declaration *declaration, enum display before)
{
	static const char *const blocks[] = {
	    "block", "flex", "grid", "table", "list-item", "flow-root", NULL};
	static const char *const apart[] = {
	    "inline-block", "inline-flex", "inline-grid", "inline-table", "table-cell", NULL};
	const char *value = declaration->value;

	return strcmp(value, "none") == 0	? DISPLAY_NONE
	       : g_strv_contains(blocks, value) ? DISPLAY_BLOCK
	       : g_strv_contains(apart, value)	? DISPLAY_APART
	       : strcmp(value, "inline") == 0	? DISPLAY_INLINE
						: before;
}

/* How an element of this tag is shown by its style. Preheaders are hidden by max-height and, in one
   mail reader, by mso-hide; of links it hides there those that are drawn otherwise. */
static enum display
read_display(const struct html_tag *tag)
{
	enum display display = DISPLAY_INLINE;
	struct declaration declaration;
	const char *p = tag->style;

	while (p && display != DISPLAY_NONE && next_declaration(&p, &declaration)) {
		const char *name = declaration.name, *value = declaration.value;

		if (strcmp(name, "display") == 0)
			display = display_of(&declaration, display);
		else if ((strcmp(name, "max-height") == 0 && is_zero(value)) ||
			 (strcmp(name, "mso-hide") == 0 && strcmp(value, "all") == 0 &&
			     kinds[tag->name] != LINK))
			display = DISPLAY_NONE;
	}
	return display;
}

/* Whether the element of this tag is left out with its content: scripts and the like, and
   elements hidden by an attribute or a style. */
static bool
textpart_is_left_out(const struct html_tag *tag)
{
	return kinds[tag->name] == SKIPPED || tag->hidden ||
	       (tag->style && read_display(tag) == DISPLAY_NONE);
}

/* How the style of an element that is shown parts it from its neighbours. Other kinds have breaks
   of their own. */
static enum display
parting_of(const struct html_tag *tag)
{
	enum kind kind = kinds[tag->name];

	return tag->style && (kind == INLINE || kind == LINK || kind == IMAGE) ? read_display(tag)
									       : DISPLAY_INLINE;
}

static void
textpart_part(struct html_flow *flow, enum display display)
{
	if (display == DISPLAY_BLOCK)
		html_flow_break(flow, 1);
	else if (display == DISPLAY_APART)
		html_flow_gap(flow);
}

/* Reads an integer as html does, which ignores what follows it. False when there is none. */
static bool
textpart_read_integer(const char *text, gint64 *value_r)
{
	const char *digits = text ? text + strspn(text, SPACES) : "";

	if (!g_ascii_isdigit(digits[*digits == '-' || *digits == '+']))
		return false;
	*value_r = g_ascii_strtoll(digits, NULL, 10);
	return ABS(*value_r) < G_MAXINT32;
}

/* items: their number, where the list counts down from it. */
static void
open_list(struct html_flow *flow, const struct html_tag *tag, gint64 items)
{
	bool is_ordered = tag->name == GUMBO_TAG_OL;
	gint64 start;

	if (!textpart_read_integer(tag->start, &start))
		start = items > 0 ? items : 1;
	html_flow_list_open(flow, is_ordered, start,
	    is_ordered && tag->reversed && (tag->start || items > 0) ? -1 : 1);
}

static void
open_item(struct html_flow *flow, const char *text)
{
	gint64 value;
	bool has_value = textpart_read_integer(text, &value);

	html_flow_item_open(flow, has_value ? &value : NULL);
}

/* An area of a picture is a link of its own. */
static void
write_area(struct html_flow *flow, const struct html_tag *tag)
{
	if (!tag->href)
		return;
	html_flow_break(flow, 1);
	html_flow_link_open(flow, tag->href);
	html_flow_picture(flow, tag->alt ? tag->alt : "");
	html_flow_link_close(flow);
	html_flow_break(flow, 1);
}

/* Writes the plain text at the start of an element; close_tag that at its end. items: as
   open_list has it. */
static void
open_tag(struct html_flow *flow, const struct html_tag *tag, gint64 items)
{
	textpart_part(flow, parting_of(tag));
	switch (kinds[tag->name]) {
	case LINE:
		html_flow_break(flow, 1);
		break;
	case PARAGRAPH:
		html_flow_break(flow, 2);
		break;
	case QUOTE:
		html_flow_quote_open(flow);
		break;
	case PRE:
		html_flow_pre_open(flow);
		break;
	case LIST:
		open_list(flow, tag, items);
		break;
	case ITEM:
		open_item(flow, tag->value);
		break;
	case ROW:
		html_flow_row(flow);
		break;
	case CELL:
		html_flow_cell(flow);
		break;
	case LINK:
		html_flow_link_open(flow, tag->href);
		break;
	case IMAGE:
		html_flow_picture(flow, tag->alt ? tag->alt : "");
		break;
	case AREA:
		write_area(flow, tag);
		break;
	case BASE:
		if (tag->href)
			html_flow_base(flow, tag->href);
		break;
	case BREAK:
		html_flow_newline(flow);
		break;
	case RULE:
		html_flow_rule(flow);
		break;
	default:
		break;
	}
}

static void
close_tag(struct html_flow *flow, GumboTag name, enum display parting)
{
	switch (kinds[name]) {
	case LINE:
	case ROW:
		html_flow_break(flow, 1);
		break;
	case PARAGRAPH:
		html_flow_break(flow, 2);
		break;
	case QUOTE:
		html_flow_quote_close(flow);
		break;
	case PRE:
		html_flow_pre_close(flow);
		break;
	case LIST:
		html_flow_list_close(flow);
		break;
	case ITEM:
		html_flow_item_close(flow);
		break;
	case LINK:
		html_flow_link_close(flow);
		break;
	default:
		break;
	}
	textpart_part(flow, parting);
}

static const char *
attribute(const GumboElement *element, const char *name)
{
	const GumboAttribute *found = gumbo_get_attribute(&element->attributes, name);

	return found ? found->value : NULL;
}

static struct html_tag
textpart_tag_of(const GumboElement *element)
{
	return (struct html_tag){
	    .name = element->tag,
	    .href = attribute(element, "href"),
	    .alt = attribute(element, "alt"),
	    .start = attribute(element, "start"),
	    .value = attribute(element, "value"),
	    .style = attribute(element, "style"),
	    .hidden = attribute(element, "hidden") != NULL,
	    .reversed = attribute(element, "reversed") != NULL,
	};
}

/* The number of items of a list that counts down; else 0. */
static gint64
count_items(const GumboElement *element, const struct html_tag *tag)
{
	gint64 count = 0;

	if (tag->name != GUMBO_TAG_OL || !tag->reversed)
		return 0;
	for (guint i = 0; i < element->children.length; i++) {
		const GumboNode *child = element->children.data[i];
		if (child->type != GUMBO_NODE_ELEMENT || child->v.element.tag != GUMBO_TAG_LI)
			continue;
		struct html_tag item = textpart_tag_of(&child->v.element);
		count += !textpart_is_left_out(&item);
	}
	return count;
}

/* Nothing of a head is shown, but the base of the links counts. */
static void
textpart_read_head(struct html_flow *flow, const GumboElement *head)
{
	for (guint i = 0; i < head->children.length; i++) {
		const GumboNode *child = head->children.data[i];
		if (child->type != GUMBO_NODE_ELEMENT || child->v.element.tag != GUMBO_TAG_BASE)
			continue;
		struct html_tag tag = textpart_tag_of(&child->v.element);
		if (!textpart_is_left_out(&tag))
			open_tag(flow, &tag, 0);
	}
}

/* Opens the element, unless it is one to skip. */
static bool
textpart_enter(struct html_flow *flow, const GumboElement *element, enum display *parting_r)
{
	struct html_tag tag = textpart_tag_of(element);

	if (textpart_is_left_out(&tag))
		return false;
	if (element->tag == GUMBO_TAG_HEAD) {
		textpart_read_head(flow, element);
		return false;
	}
	open_tag(flow, &tag, count_items(element, &tag));
	*parting_r = parting_of(&tag);
	return true;
}

/* An element on the path from the root to the current node. */
struct step {
	const GumboNode *node;
	guint next; /* the next child to visit */
	enum display parting;
};

/* Visits the tree with a stack of its own, since the tree may be deep. */
static void
textpart_walk(struct html_flow *flow, const GumboNode *root)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(struct step));
	struct step step = {.node = root};

	g_array_append_val(path, step);
	while (path->len > 0 && !html_flow_is_full(flow)) {
		struct step *top = &g_array_index(path, struct step, path->len - 1);
		const GumboElement *element = &top->node->v.element;
		if (top->next == element->children.length) {
			close_tag(flow, element->tag, top->parting);
			g_array_set_size(path, path->len - 1);
			continue;
		}
		const GumboNode *child = element->children.data[top->next++];
		if (child->type == GUMBO_NODE_ELEMENT) {
			step.node = child;
			if (textpart_enter(flow, &child->v.element, &step.parting))
				g_array_append_val(path, step);
		} else if (child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_CDATA ||
			   child->type == GUMBO_NODE_WHITESPACE) {
			html_flow_text(flow, child->v.text.text, strlen(child->v.text.text));
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

/* The open elements whose styles part them from their neighbours, without the deepest ones. */
struct partings {
	guint count;
	struct parted {
		GumboTag name;
		enum display parting;
		gsize depth; /* of nested elements of this name */
	} open[HTML_NESTING_DEPTH];
};

static void
open_parted(struct html_flow *flow, const struct html_tag *tag, struct partings *partings)
{
	struct parted *top = partings->count > 0 ? &partings->open[partings->count - 1] : NULL;
	enum display parting = parting_of(tag);

	open_tag(flow, tag, 0);
	if (is_void(tag->name))
		textpart_part(flow, parting);
	else if (parting != DISPLAY_INLINE && partings->count < HTML_NESTING_DEPTH)
		partings->open[partings->count++] = (struct parted){tag->name, parting, 1};
	else if (top && top->name == tag->name)
		top->depth++;
}

static void
close_parted(struct html_flow *flow, GumboTag name, struct partings *partings)
{
	struct parted *top = partings->count > 0 ? &partings->open[partings->count - 1] : NULL;
	bool is_end = top && top->name == name && --top->depth == 0;

	close_tag(flow, name, is_end ? top->parting : DISPLAY_INLINE);
	partings->count -= is_end;
}

/* Writes a token that is not the end. */
static void
textpart_write_token(struct html_flow *flow, enum html_token token, const struct html_tags *tags,
    struct skipping *skipping, struct partings *partings)
{
	const struct html_tag *tag = &tags->tag;

	if (skipping->depth > 0) {
		if (token != HTML_TOKEN_TEXT && tag->name == skipping->name)
			skipping->depth += token == HTML_TOKEN_OPEN ? 1 : -1;
	} else if (token == HTML_TOKEN_TEXT) {
		html_flow_text(flow, tags->text->str, tags->text->len);
	} else if (token == HTML_TOKEN_CLOSE) {
		close_parted(flow, tag->name, partings);
	} else if (!textpart_is_left_out(tag)) {
		open_parted(flow, tag, partings);
	} else if (!is_void(tag->name)) {
		*skipping = (struct skipping){tag->name, 1};
	}
}

/* Reads tag by tag, without a tree. */
static void
textpart_read_tags(struct html_flow *flow, const char *source, gsize size)
{
	struct skipping skipping = {GUMBO_TAG_LAST, 0};
	struct partings partings = {.count = 0};
	struct html_tags tags;
	enum html_token token;

	html_tags_init(&tags, source, size);
	while (!html_flow_is_full(flow) && (token = html_tags_next(&tags)) != HTML_TOKEN_END)
		textpart_write_token(flow, token, &tags, &skipping, &partings);
	html_tags_clear(&tags);
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
		if (c != '\r' && (c > G_MAXINT32 || !html_keeps(c)))
			return false;
		p = byte < 0x80 ? p + 1 : g_utf8_next_char(p);
	}
	return true;
}

/* Whether a list counts down: its first number is that of its items, which only the tree knows. */
static bool
counts_down(enum html_token token, const struct html_tag *tag)
{
	return token == HTML_TOKEN_OPEN && tag->name == GUMBO_TAG_OL && tag->reversed;
}

/* Reads tag by tag what has a tree as it is written. False where that is not sure. */
static bool
textpart_read_nested(struct html_flow *flow, const char *source, gsize size)
{
	struct skipping skipping = {GUMBO_TAG_LAST, 0};
	struct partings partings = {.count = 0};
	struct html_nesting nesting = {.depth = 0};
	struct html_tags tags;
	enum html_token token;
	bool nested = has_kept_characters(source, size);

	html_tags_init(&tags, source, size);
	while (nested && (token = html_tags_next(&tags)) != HTML_TOKEN_END) {
		nested = html_nesting_take(&nesting, token, &tags) && !html_flow_is_full(flow) &&
			 !counts_down(token, &tags.tag);
		if (nested)
			textpart_write_token(flow, token, &tags, &skipping, &partings);
	}
	nested = nested && !tags.doubtful && html_nesting_is_closed(&nesting) &&
		 !html_flow_is_full(flow);
	html_tags_clear(&tags);
	return nested;
}

gsize
html_textpart_most(gsize html_size)
{
	return MIN(html_size * LIMIT_DERIVED_TEXT_GROWTH, LIMIT_TEXT_BYTES);
}

char *
html_textpart_watch(const struct html *html, html_flow_link link, void *context)
{
	const GumboOutput *tree = html_tree(html);
	gsize size;
	const char *source = html_source(html, &size);
	struct html_flow *flow = html_flow_new(html_textpart_most(size));

	html_flow_watch(flow, link, context);
	if (tree)
		textpart_walk(flow, tree->root);
	else
		textpart_read_tags(flow, source, size);
	return html_flow_finish(flow);
}

char *
html_textpart_of(const struct html *html)
{
	return html_textpart_watch(html, NULL, NULL);
}

char *
html_textpart_from_html(const char *source, gsize size)
{
	struct html_flow *flow = html_flow_new(html_textpart_most(size));
	bool nested = textpart_read_nested(flow, source, size);
	char *text = html_flow_finish(flow);

	if (nested)
		return text;
	g_free(text);
	AUTO(html) html = html_parse(source, size);
	return html_textpart_of(html);
}
