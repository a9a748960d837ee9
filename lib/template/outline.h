/* SPDX-License-Identifier: MIT */
/* The text and the links of html that is filled from one template over and over. The template is
   parsed once, with marks in place of its references; filling it then tells both without another
   parse. Most values cannot change what the html around them means, since their special characters
   are escaped; which can, is found out, and such html has to be parsed. */
#ifndef TEMPLATE_OUTLINE_H
#define TEMPLATE_OUTLINE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "template/template.h"

struct html_links;
struct template_outline;

/* More references are rare. */
#define TEMPLATE_OUTLINE_REFERENCES 1000

/* Reads a template of html. NULL when its values could mean more than their text: it has more than
   references (template_is_plain), or one with three braces, or in a tag but not in a quoted
   href, src, alt, title, class or id, or one that may become a part of a tag or of a character
   reference. NULL also for more than TEMPLATE_OUTLINE_REFERENCES, and when it is too large for
   html/html.h or its text would be cut off. The caller frees it. */
struct template_outline *template_outline_read(const char *source, gsize size);
void template_outline_free(struct template_outline *outline);
DEFINE_AUTO(template_outline, template_outline_free)

/* The bytes of memory that it takes. */
gsize template_outline_size(const struct template_outline *outline);

/* The template of the text: filled as TEMPLATE_TEXT, it is the text that
   template_outline_fill tells. NULL when it has braces of its own, which would be filled too.
   The outline owns it. */
const char *template_outline_text(const struct template_outline *outline);

/* Tells what html_textpart_of and html_links_find tell of filled, which is the template filled with
   these values. text_r or links_r may be NULL. False when the values could make another text: one
   is empty, has white space that html joins, or invisible characters; or a link's text and its URL
   become the same, or are no longer. The caller owns the results. */
bool template_outline_fill(const struct template_outline *outline, const char *filled, gsize size,
    template_lookup lookup, void *context, char **text_r, struct html_links **links_r);

#endif
