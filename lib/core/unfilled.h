/* SPDX-License-Identifier: MIT */
/* Texts of html whose references are not filled. They are derived once for all emails with this
   html, since most emails are made from few templates, and filled for each of them. */
#ifndef CORE_UNFILLED_H
#define CORE_UNFILLED_H

#include <glib.h>

#include "base/scope.h"
#include "mail/template.h"

struct store_body;

/* Larger html is rare; its text is neither kept nor stored. */
#define UNFILLED_SIZE (256 * 1024)

/* The texts of recent html, kept by a process. */
struct core_unfilled;

struct core_unfilled *core_unfilled_new(void);
void core_unfilled_free(struct core_unfilled *unfilled);
DEFINE_AUTO(core_unfilled, core_unfilled_free)

/* The text of an html of at most UNFILLED_SIZE, with its references; NULL when filling it could
   give another text than filling the html first. Valid until the next call. */
GBytes *core_unfilled_text(struct core_unfilled *unfilled, const struct store_body *html);

/* Fills such a text, to at most so many bytes (core_unfilled_most of the filled html). NULL when
   the filled html would have another text. The caller owns it. */
GBytes *core_unfilled_fill(GBytes *source, gsize most, mail_template_lookup lookup, void *context);

/* The size at which the text of html of this size is cut off. */
gsize core_unfilled_most(gsize html_size);

#endif
