/* SPDX-License-Identifier: MIT */
/* HTML as gumbo parses it (the HTML standard's tree construction), bounded in time and memory
 * whatever the document is.
 *
 * Gumbo's time is quadratic in the depth of the tree and in the attributes of one tag, and elements
 * that are never closed can be cloned into each paragraph after them: a document of 100 KB could
 * hold a process for minutes. Such documents, and very large ones, are not parsed: they have no
 * tree, and whoever reads them does so tag by tag (mail/tags.h), or not at all.
 */
#ifndef MAIL_HTML_H
#define MAIL_HTML_H

#include <glib.h>
#include <gumbo.h>

#include "base/scope.h"

struct mail_html;

/* Parses the document: UTF-8; a NUL is no end. It is not parsed when it has more than
   LIMIT_PARSED_HTML_BYTES, LIMIT_PARSED_HTML_TAGS, LIMIT_PARSED_HTML_ATTRIBUTES or, in one tag,
   LIMIT_PARSED_HTML_TAG_ATTRIBUTES, or would take more memory than any document of that size that
   people write. Never NULL. The source must outlive the result, which the caller frees. */
struct mail_html *mail_html_parse(const char *source, gsize size);

/* The document as it was given. */
const char *mail_html_source(const struct mail_html *html, gsize *size_r);

/* The tree, NULL where it was not parsed; positions in it point into the source. It goes with the
 * mail_html: never destroy it as gumbo would have it. May be deep: walk it without recursion. */
const GumboOutput *mail_html_tree(const struct mail_html *html);

void mail_html_free(struct mail_html *html);
DEFINE_AUTO(mail_html, mail_html_free)

#endif
