/* SPDX-License-Identifier: MIT */
/* The text alternative of an html body. */
#ifndef HTML_TEXTPART_H
#define HTML_TEXTPART_H

#include <glib.h>

#include "html/flow.h"

struct html;

/* The text alternative of an html body: its visible text, as plain text.
   Blocks become lines and paragraphs with at most one blank line between, list items "- " or "1. ",
   quotes "> ", cells " | " between them; links `text (url)`, with <base> resolved, mail addresses
   and telephone numbers decoded and without their scheme; images and areas their alt text; pre
   keeps its lines. Elements with the style display:block or inline-block do not join their
   neighbours. Scripts, styles, the head, and hidden elements (attribute hidden, styles
   display:none, max-height:0 and mso-hide:all, as for preheaders) are left out.
   Time is bounded by about a second for documents that people write and for any of
   LIMIT_HTML_BYTES; very large or hostile documents are read without the tree (html/html.h),
   with fewer repairs, and lists that count down from their length count up. The result is UTF-8,
   ends with one "\n", and is "" without visible text; never NULL; cut at LIMIT_TEXT_BYTES, and at
   LIMIT_DERIVED_TEXT_GROWTH times the html. It never takes more memory than that. The caller owns
   it. */
char *html_textpart_of(const struct html *html);

/* The same for html source in UTF-8, which is parsed for this alone, or only read tag by tag where
   that is sure to give the same (html/nesting.h). */
char *html_textpart_from_html(const char *source, gsize size);

/* The same, and tells of links as html_flow_watch does. */
char *html_textpart_watch(const struct html *html, html_flow_link link, void *context);

/* The size at which the text of html of this size is cut off. */
gsize html_textpart_most(gsize html_size);

#endif
