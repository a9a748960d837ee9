/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_UNSUBSCRIBE_H
#define FCGI_HANDLERS_UNSUBSCRIBE_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;

/* The page that asks; nothing happens. */
bool fcgi_unsubscribe_get(struct fcgi_call *call, GError **error);

/* From that page, or a reader's mail program (RFC 8058). */
bool fcgi_unsubscribe_post(struct fcgi_call *call, GError **error);

#endif
