/* SPDX-License-Identifier: MIT */
/* Follows the elements of a document in the order of their tags. */
#include "html/nesting.h"

#include <string.h>

#define SPACES " \t\n\r\f"

/* Elements that stand in html by the same rules. Those with an end tag of their own stand behind
   LAST_VOID. */
enum group {
	UNKNOWN,
	VOID_PHRASE,
	RULE,
	VOID_META,
	LAST_VOID,
	META,
	ROOT,
	HEAD,
	BODY,
	PHRASE,
	LINK,
	PARAGRAPH,
	HEADING,
	BLOCK,
	LIST,
	ITEM,
	TABLE,
	SECTION,
	ROW,
	CELL,
};

static const guint8 groups[GUMBO_TAG_LAST] = {
    [GUMBO_TAG_A] = LINK,
    [GUMBO_TAG_ABBR] = PHRASE,
    [GUMBO_TAG_ADDRESS] = BLOCK,
    [GUMBO_TAG_ARTICLE] = BLOCK,
    [GUMBO_TAG_ASIDE] = BLOCK,
    [GUMBO_TAG_B] = PHRASE,
    [GUMBO_TAG_BASE] = VOID_META,
    [GUMBO_TAG_BIG] = PHRASE,
    [GUMBO_TAG_BLOCKQUOTE] = BLOCK,
    [GUMBO_TAG_BODY] = BODY,
    [GUMBO_TAG_BR] = VOID_PHRASE,
    [GUMBO_TAG_CENTER] = BLOCK,
    [GUMBO_TAG_CITE] = PHRASE,
    [GUMBO_TAG_CODE] = PHRASE,
    [GUMBO_TAG_DEL] = PHRASE,
    [GUMBO_TAG_DIV] = BLOCK,
    [GUMBO_TAG_EM] = PHRASE,
    [GUMBO_TAG_FIGCAPTION] = BLOCK,
    [GUMBO_TAG_FIGURE] = BLOCK,
    [GUMBO_TAG_FONT] = PHRASE,
    [GUMBO_TAG_FOOTER] = BLOCK,
    [GUMBO_TAG_H1] = HEADING,
    [GUMBO_TAG_H2] = HEADING,
    [GUMBO_TAG_H3] = HEADING,
    [GUMBO_TAG_H4] = HEADING,
    [GUMBO_TAG_H5] = HEADING,
    [GUMBO_TAG_H6] = HEADING,
    [GUMBO_TAG_HEAD] = HEAD,
    [GUMBO_TAG_HEADER] = BLOCK,
    [GUMBO_TAG_HR] = RULE,
    [GUMBO_TAG_HTML] = ROOT,
    [GUMBO_TAG_I] = PHRASE,
    [GUMBO_TAG_IMG] = VOID_PHRASE,
    [GUMBO_TAG_INS] = PHRASE,
    [GUMBO_TAG_LI] = ITEM,
    [GUMBO_TAG_LINK] = VOID_META,
    [GUMBO_TAG_MAIN] = BLOCK,
    [GUMBO_TAG_MARK] = PHRASE,
    [GUMBO_TAG_META] = VOID_META,
    [GUMBO_TAG_NAV] = BLOCK,
    [GUMBO_TAG_OL] = LIST,
    [GUMBO_TAG_P] = PARAGRAPH,
    [GUMBO_TAG_S] = PHRASE,
    [GUMBO_TAG_SCRIPT] = META,
    [GUMBO_TAG_SECTION] = BLOCK,
    [GUMBO_TAG_SMALL] = PHRASE,
    [GUMBO_TAG_SPAN] = PHRASE,
    [GUMBO_TAG_STRIKE] = PHRASE,
    [GUMBO_TAG_STRONG] = PHRASE,
    [GUMBO_TAG_STYLE] = META,
    [GUMBO_TAG_SUB] = PHRASE,
    [GUMBO_TAG_SUP] = PHRASE,
    [GUMBO_TAG_TABLE] = TABLE,
    [GUMBO_TAG_TBODY] = SECTION,
    [GUMBO_TAG_TD] = CELL,
    [GUMBO_TAG_TFOOT] = SECTION,
    [GUMBO_TAG_TH] = CELL,
    [GUMBO_TAG_THEAD] = SECTION,
    [GUMBO_TAG_TITLE] = META,
    [GUMBO_TAG_TR] = ROW,
    [GUMBO_TAG_TT] = PHRASE,
    [GUMBO_TAG_U] = PHRASE,
    [GUMBO_TAG_UL] = LIST,
};

/* The group of the innermost open element; ROOT without one. */
static enum group
parent(const struct html_nesting *nesting)
{
	return nesting->depth > 0 ? groups[nesting->open[nesting->depth - 1]] : ROOT;
}

/* Whether an element of this group is open, in the same cell of a table. */
static bool
nesting_is_within(const struct html_nesting *nesting, enum group group)
{
	for (guint i = nesting->depth; i-- > 0;) {
		enum group open = groups[nesting->open[i]];
		if (open == group)
			return true;
		if (open == CELL)
			return false;
	}
	return false;
}

/* Whether content may stand in the innermost open element: not in a head, nor in a table but in its
   cells. */
static bool
takes_content(const struct html_nesting *nesting)
{
	enum group around = parent(nesting);

	return around != HEAD && around != TABLE && around != SECTION && around != ROW &&
	       nesting->place != NESTING_AFTER_BODY;
}

/* Whether an element of the body may begin here. Another element would be closed first: a paragraph
   by a block, a link by a link, a heading by a heading. */
static bool
begins_in_body(const struct html_nesting *nesting, enum group group)
{
	enum group around = parent(nesting);

	switch (group) {
	case VOID_PHRASE:
	case PHRASE:
		return takes_content(nesting);
	case LINK:
		return takes_content(nesting) && !nesting_is_within(nesting, LINK);
	case HEADING:
		if (around == HEADING)
			return false;
		/* fall through */
	case RULE:
	case PARAGRAPH:
	case BLOCK:
	case LIST:
	case TABLE:
		return takes_content(nesting) && !nesting_is_within(nesting, PARAGRAPH);
	case ITEM:
		return around == LIST;
	case SECTION:
		return around == TABLE;
	case ROW:
		return around == TABLE || around == SECTION;
	case CELL:
		return around == ROW;
	default:
		return false;
	}
}

/* Titles, styles and the like show nothing, wherever they stand. Before the body, gumbo puts them
   into the head. */
static bool
begin_meta(struct html_nesting *nesting)
{
	if (nesting->place == NESTING_BEGIN)
		nesting->place = NESTING_AFTER_HEAD;
	return parent(nesting) == HEAD || takes_content(nesting);
}

/* Moves on to another place of the document, if it comes from an earlier one. */
static bool
nesting_move(struct html_nesting *nesting, enum html_nesting_place to)
{
	if (nesting->place >= to || nesting->place == NESTING_HEAD)
		return false;
	nesting->place = to;
	return true;
}

static bool
nesting_begin(struct html_nesting *nesting, const struct html_tag *tag, enum group group)
{
	switch (group) {
	case ROOT:
		/* It is shown even if it is hidden. */
		return nesting->place == NESTING_BEGIN && nesting->depth == 0 && !tag->hidden &&
		       !tag->style;
	case HEAD:
		return nesting_move(nesting, NESTING_HEAD);
	case BODY:
		return nesting_move(nesting, NESTING_BODY);
	case META:
	case VOID_META:
		return begin_meta(nesting);
	default:
		nesting_move(nesting, NESTING_BODY);
		return begins_in_body(nesting, group);
	}
}

static bool
open_element(struct html_nesting *nesting, const struct html_tag *tag)
{
	enum group group = groups[tag->name];

	if (!nesting_begin(nesting, tag, group) || nesting->depth == HTML_NESTING_DEPTH)
		return false;
	if (group > LAST_VOID)
		nesting->open[nesting->depth++] = tag->name;
	return true;
}

static bool
close_element(struct html_nesting *nesting, GumboTag name)
{
	if (nesting->depth == 0 || nesting->open[nesting->depth - 1] != name)
		return false;
	nesting->depth--;
	if (groups[name] == HEAD)
		nesting->place = NESTING_AFTER_HEAD;
	if (groups[name] == BODY || groups[name] == ROOT)
		nesting->place = NESTING_AFTER_BODY;
	return true;
}

static bool
nesting_take_text(struct html_nesting *nesting, const GString *text)
{
	if (strspn(text->str, SPACES) == text->len)
		return true;
	nesting_move(nesting, NESTING_BODY);
	return takes_content(nesting);
}

bool
html_nesting_take(struct html_nesting *nesting, enum html_token token, const struct html_tags *tags)
{
	if (tags->doubtful)
		return false;
	if (token == HTML_TOKEN_TEXT)
		return nesting_take_text(nesting, tags->text);
	return token == HTML_TOKEN_OPEN ? open_element(nesting, &tags->tag)
					: close_element(nesting, tags->tag.name);
}

bool
html_nesting_is_closed(const struct html_nesting *nesting)
{
	return nesting->depth == 0;
}
