/* SPDX-License-Identifier: MIT */
/* Knows what each tag of html means for the text in it. */
#include "mail/meaning.h"

#include <string.h>

#include "mail/flow.h"
#include "mail/shown.h"
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

/* Does the style say display:none? */
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

bool
mail_meaning_skips(const struct mail_tag *tag)
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
	g_autofree char *url = href ? mail_shown_url(href) : NULL;

	mail_flow_link_open(flow, url);
}

void
mail_meaning_open(struct mail_flow *flow, const struct mail_tag *tag)
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

void
mail_meaning_close(struct mail_flow *flow, GumboTag name)
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
