/* SPDX-License-Identifier: MIT */
/* Texts that are filled in as a template is, and are no part of an email. */
#ifndef CONTENT_TEXT_H
#define CONTENT_TEXT_H

#include <glib.h>
#include <stdbool.h>

#include "content/variables.h"

/* Calls name for each variable that a text refers to. */
void content_text_names(
    const char *source, void (*name)(const char *name, void *context), void *context);

/* Whether a text has no tags but references to variables. */
bool content_text_is_plain(const char *source);

/* Finds the value of a variable. */
typedef struct content_variables_found (*content_text_resolve)(const char *name, void *context);

/* Fills a text; nothing is escaped. part: its name in errors. is_header: control characters of
   values become spaces. INVALID for a variable that is too long, or when the text takes too long to
   fill; TOO_LARGE. The caller owns the result. */
char *content_text_fill(const char *part, const char *source, bool is_header,
    content_text_resolve resolve, void *context, GError **error);

#endif
