/* SPDX-License-Identifier: MIT */
#ifndef MAIL_TEXTPART_H
#define MAIL_TEXTPART_H

#include <glib.h>

struct mail_html;

/* The text alternative of an html body: what a reader of the html would read, as plain text.
 *
 * Blocks become lines and paragraphs with at most one blank line between, list items "- " or "1. ",
 * quotes "> ", cells " | " between them; links `text (url)`, mail addresses without their scheme;
 * images their alt text; pre keeps its lines. Scripts, styles, the head, and what is hidden
 * (attribute hidden, style display:none, as for preheaders) are left out.
 *
 * Time is bounded by a second or so for what people write and for anything of
 * LIMIT_HTML_BYTES; very large or hostile documents are read without the tree (mail/html.h), which
 * repairs less. The result is UTF-8, ends with one "\n", and is "" when there is nothing to read;
 * never NULL; cut at LIMIT_TEXT_BYTES, and at LIMIT_DERIVED_TEXT_GROWTH times the html. At no
 * moment it takes more memory than that. The caller owns it.
 */
char *mail_textpart_of(const struct mail_html *html);

/* The same for html that is parsed for this alone: UTF-8. */
char *mail_textpart_from_html(const char *source, gsize size);

#endif
