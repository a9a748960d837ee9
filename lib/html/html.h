/* SPDX-License-Identifier: MIT */
/* HTML as gumbo parses it (the HTML standard's tree construction), bounded in time and memory for
   every document.
   Gumbo's time is quadratic in the depth of the tree and in the attributes of one tag, and it
   clones unclosed elements into each paragraph after them: a document of 100 KB could hold a
   process for minutes. Such documents, and very large ones, are not parsed and have no tree;
   their readers go tag by tag (html/tags.h), or do without. */
#ifndef HTML_H
#define HTML_H

#include <glib.h>
#include <gumbo.h>
#include <stdbool.h>

#include "base/scope.h"

struct html;

/* Parses the document, UTF-8; a NUL does not end it. Does not parse a document with more than
   LIMIT_PARSED_HTML_BYTES, LIMIT_PARSED_HTML_TAGS, LIMIT_PARSED_HTML_ATTRIBUTES or, in one tag,
   LIMIT_PARSED_HTML_TAG_ATTRIBUTES, or whose tags leave more than LIMIT_PARSED_HTML_OPEN elements
   open, or one that would need more memory, or time (base/budget.h), than any document of its
   size written by people. Never NULL. The source must outlive the result, which the caller
   frees. */
struct html *html_parse(const char *source, gsize size);

/* The source. */
const char *html_source(const struct html *html, gsize *size_r);

/* The tree, NULL if the document was not parsed; positions in it point into the source.
   html_free frees it: never destroy it with gumbo. It may be deep: walk it without
   recursion. */
const GumboOutput *html_tree(const struct html *html);

/* Whether gumbo leaves this character as it is. It replaces noncharacters, and control characters
   but tabs and line feeds. */
bool html_keeps(gunichar c);

void html_free(struct html *html);
DEFINE_AUTO(html, html_free)

#endif
