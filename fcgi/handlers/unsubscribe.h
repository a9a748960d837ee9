#ifndef FCGI_HANDLERS_UNSUBSCRIBE_H
#define FCGI_HANDLERS_UNSUBSCRIBE_H

#include <glib.h>
#include <stdbool.h>

struct call;

/* The page that asks; nothing happens. */
bool unsubscribe_get(struct call *call, GError **error);

/* From that page, or a reader's mail program (RFC 8058). */
bool unsubscribe_post(struct call *call, GError **error);

#endif
