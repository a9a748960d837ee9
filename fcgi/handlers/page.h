/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_PAGE_H
#define FCGI_HANDLERS_PAGE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct fcgi_call;
struct json_writer;

/* The ids that pages begin after come as the cursor parameter: *before_r is set and *given_r true
   when there is one. INVALID when it is malformed. opaque: base64 instead of the id's own text. */
bool fcgi_page_cursor(
    struct fcgi_call *call, bool opaque, struct base_id *before_r, bool *given_r, GError **error);

/* Begins {collection: [ ... */
void fcgi_page_begin(struct json_writer *writer, const char *collection);

/* Ends it, with count and cursor, and replies. last: the id of the page's last item when there are
   more, else NULL. */
void fcgi_page_end(struct fcgi_call *call, struct json_writer *writer, bool opaque, guint count,
    const struct base_id *last);

/* The same with a cursor of the list's own; NULL when there are no more. */
void fcgi_page_end_text(
    struct fcgi_call *call, struct json_writer *writer, guint count, const char *cursor);

#endif
