/* SPDX-License-Identifier: MIT */
/* Writes plain text from the runs and breaks of a formatted document: white space collapses,
   adjacent breaks become one, and marks of list items and quotes precede the lines.
   White space, breaks and marks are written only once text follows, so that none stands at an
   end. An open element need not be closed, and a close without an open is ignored. */
#ifndef HTML_FLOW_H
#define HTML_FLOW_H

#include <glib.h>
#include <stdbool.h>

struct html_flow;

/* A flow for a text of at most so many bytes, which are allocated here; later calls allocate
   nothing but a link's URL. html_flow_finish frees it. */
struct html_flow *html_flow_new(gsize most);

/* The text, ending with one line break; "" if nothing was written; cut between two characters
   where it would exceed its limit. Frees the flow; the caller owns the text. */
char *html_flow_finish(struct html_flow *flow);

/* Whether something was cut off. Then all later text is cut off, too. */
bool html_flow_is_full(const struct html_flow *flow);

/* Writes text, UTF-8. White space, no-break and other spaces collapse; control characters,
   invisible characters (soft hyphens, zero-width spaces) and U+FFFD are left out; a joiner stays
   behind a visible character. */
void html_flow_text(struct html_flow *flow, const char *text, gsize size);

/* The next text begins at least so many lines further down: 1, on a new line; 2, after a blank
   line. A list has no blank lines, and there is no break beside an item's mark. */
void html_flow_break(struct html_flow *flow, guint lines);

/* The next text does not join the one before: a space stands between them, unless the next one
   begins with a mark that ends a sentence or closes brackets, or the last one opens brackets. */
void html_flow_gap(struct html_flow *flow);

/* Whether a text begins or ends with such a mark. */
bool html_flow_bridges_gap(const char *text);

/* Adds one line break, but no second blank line. */
void html_flow_newline(struct html_flow *flow);

/* Writes a horizontal rule. */
void html_flow_rule(struct html_flow *flow);

/* Whether a text comes out of a flow as it is, wherever other text stands beside it: it is not
   empty, and has no white space that collapses and no character that is left out, here or by
   gumbo. */
bool html_flow_keeps(const char *text);

/* White space is kept while a pre is open. */
void html_flow_pre_open(struct html_flow *flow);
void html_flow_pre_close(struct html_flow *flow);

/* Each line within a quote begins with "> ". */
void html_flow_quote_open(struct html_flow *flow);
void html_flow_quote_close(struct html_flow *flow);

/* Items are marked "- ", or with numbers from start on, up or down by step, and indented by the
   depth of lists. value: the number of this item, from which the next ones go on; NULL: the next
   one. */
void html_flow_list_open(struct html_flow *flow, bool ordered, gint64 start, int step);
void html_flow_list_close(struct html_flow *flow);
void html_flow_item_open(struct html_flow *flow, const gint64 *value);
void html_flow_item_close(struct html_flow *flow);

/* Begin a row of a table, and a cell of it. " | " stands between two cells with text. */
void html_flow_row(struct html_flow *flow);
void html_flow_cell(struct html_flow *flow);

/* Calls link for each link with a url when it is closed: its text (NULL: it has none, but shows a
   picture, and the url is written as its text), and whether that text says the url. */
typedef void (*html_flow_link)(const char *text, const char *url, bool is_said, void *context);
void html_flow_watch(struct html_flow *flow, html_flow_link link, void *context);

/* The address that relative links are relative to, as it is written: a URL with http or https, or
   it is ignored. The first one counts. */
void html_flow_base(struct html_flow *flow, const char *href);

/* The close writes " (url)" behind the text of the link, unless that text says the same. href: as
   it is written; NULL: the link leads nowhere. */
void html_flow_link_open(struct html_flow *flow, const char *href);
void html_flow_link_close(struct html_flow *flow);

/* Writes a picture's alternative text. A link that shows only a picture without one is written
   as its url. */
void html_flow_picture(struct html_flow *flow, const char *alt);

/* The url that plain text shows for an href: on one line, of mailto, tel and sms without the scheme
   and decoded. NULL for an href that means nothing outside the html (empty, "#...", javascript and
   the like), has more than LIMIT_SHOWN_LINK_BYTES, or is not UTF-8, which a character reference can
   cause. The caller owns the result. */
char *html_flow_url(const char *href);

/* Whether the text of a link already says this url, perhaps without its scheme and a final
   slash. */
bool html_flow_says_url(const char *text, const char *url);

#endif
