/* SPDX-License-Identifier: MIT */
/* Parsed html whose references are not filled (template/outline.h). It is parsed once for all
   emails and messages with this html, since most are made from few templates. */
#ifndef CORE_UNFILLED_H
#define CORE_UNFILLED_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct template_outline;
struct store_body;

/* Larger html is rare; it is not kept, and its text is not stored. */
#define UNFILLED_SIZE (256 * 1024)

/* The outlines of recent html, kept by a process; they take at most LIMIT_UNFILLED_KEPT_BYTES. */
struct core_unfilled;

struct core_unfilled *core_unfilled_new(void);
void core_unfilled_free(struct core_unfilled *unfilled);

/* The outline of this html. NULL when there is none, and for more than UNFILLED_SIZE. Valid until
   the next call. */
const struct template_outline *core_unfilled_find(
    struct core_unfilled *unfilled, const struct store_body *html);

/* The same, but html that was not asked for lately is only noted: NULL. */
const struct template_outline *core_unfilled_find_again(
    struct core_unfilled *unfilled, const struct store_body *html);

#endif
