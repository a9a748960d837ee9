/* SPDX-License-Identifier: MIT */
/* Parsed html whose references are not filled (template/outline.h). It is parsed once for all
   emails and messages with this html, since most are made from few templates. */
#ifndef CONTENT_UNFILLED_H
#define CONTENT_UNFILLED_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct template_outline;
struct store_body;

/* Larger html is rare; it is not kept, and its text is not stored. */
#define UNFILLED_SIZE (256 * 1024)

/* The outlines of recent html, kept by a process; they take at most LIMIT_UNFILLED_KEPT_BYTES. */
struct content_unfilled;

/* An empty cache. The caller frees it. */
struct content_unfilled *content_unfilled_new(void);
void content_unfilled_free(struct content_unfilled *unfilled);

/* The outline of this html. NULL when there is none, and for more than UNFILLED_SIZE. Valid until
   the next call. */
const struct template_outline *content_unfilled_find(
    struct content_unfilled *unfilled, const struct store_body *html);

/* The same, but html that was not asked for lately is only noted: NULL. */
const struct template_outline *content_unfilled_find_again(
    struct content_unfilled *unfilled, const struct store_body *html);

#endif
