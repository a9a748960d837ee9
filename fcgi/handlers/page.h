#ifndef FCGI_HANDLERS_PAGE_H
#define FCGI_HANDLERS_PAGE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct call;
struct json_writer;

/* The ids that pages begin after come as the cursor parameter: *before_r is set and *given_r true
   when there is one. INVALID when it is malformed. opaque: base64 instead of the id's own text. */
bool page_cursor(
    struct call *call, bool opaque, struct id *before_r, bool *given_r, GError **error);

/* Begins {collection: [ ... */
void page_begin(struct json_writer *writer, const char *collection);

/* Ends it, with count and cursor, and replies. last: the id of the page's last item when there are
   more, else NULL. */
void page_end(
    struct call *call, struct json_writer *writer, bool opaque, guint count, const struct id *last);

/* The same with a cursor of the list's own; NULL when there are no more. */
void page_end_text(struct call *call, struct json_writer *writer, guint count, const char *cursor);

#endif
