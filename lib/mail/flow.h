/* SPDX-License-Identifier: MIT */
/* Plain text that is being written from the runs and breaks of a formatted document: white space
 * collapses, breaks that meet become one, marks of list items and quotes stand before the lines.
 *
 * White space, breaks and marks are written only once text comes after them, so that there is never
 * any at an end. What is opened need not be closed, nor closed only what was opened.
 */
#ifndef MAIL_FLOW_H
#define MAIL_FLOW_H

#include <glib.h>
#include <stdbool.h>

struct mail_flow;

/* For a text of at most so many bytes. They are allocated here, and no more later. */
struct mail_flow *mail_flow_new(gsize most);

/* The text, ending with one line break; "" if nothing was written; cut between two characters where
 * it would be longer than it may. Frees the flow; the caller owns the text. */
char *mail_flow_finish(struct mail_flow *flow);

/* Has something been cut off? All that is written from here on is, too. */
bool mail_flow_is_full(const struct mail_flow *flow);

/* UTF-8. White space, no-break and other spaces collapse; control characters and what is invisible
   (soft hyphens, zero-width spaces) or U+FFFD are left out; joiners stay between two visible
   characters. */
void mail_flow_text(struct mail_flow *flow, const char *text, gsize size);

/* What follows is lines further down at least: 1, a new line; 2, a blank line between. In a list
   there are no blank lines, and beside an item's mark there is no break. */
void mail_flow_break(struct mail_flow *flow, guint lines);

/* One line break more than there is, but no second blank line. */
void mail_flow_newline(struct mail_flow *flow);

/* A line across. */
void mail_flow_rule(struct mail_flow *flow);

/* White space is kept while any is open. */
void mail_flow_pre_open(struct mail_flow *flow);
void mail_flow_pre_close(struct mail_flow *flow);

/* "> " before each line. */
void mail_flow_quote_open(struct mail_flow *flow);
void mail_flow_quote_close(struct mail_flow *flow);

/* Items are marked "- ", or with numbers from start on, and indented with the depth of lists. */
void mail_flow_list_open(struct mail_flow *flow, bool ordered, gint64 start);
void mail_flow_list_close(struct mail_flow *flow);
void mail_flow_item_open(struct mail_flow *flow);
void mail_flow_item_close(struct mail_flow *flow);

/* A row of a table begins; a cell of it begins: " | " stands between two with text. */
void mail_flow_row(struct mail_flow *flow);
void mail_flow_cell(struct mail_flow *flow);

/* At the close, " (url)" follows what was written since, unless that says the same. NULL: the link
   leads nowhere. */
void mail_flow_link_open(struct mail_flow *flow, const char *url);
void mail_flow_link_close(struct mail_flow *flow);

/* A picture is its alternative text. A link that shows nothing but a picture without one is written
   as its url. */
void mail_flow_picture(struct mail_flow *flow, const char *alt);

/* The href on one line, without the scheme of mailto, tel and sms. NULL where it says nothing
   outside of the html: empty, "#...", javascript and the like, or more than LIMIT_SHOWN_LINK_BYTES.
   The caller owns the result. */
char *mail_flow_url(const char *href);

/* Does the text of a link already say this url? Its scheme and a final slash may be missing. */
bool mail_flow_says_url(const char *text, const char *url);

#endif
