/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_IDEMPOTENCY_H
#define FCGI_HANDLERS_IDEMPOTENCY_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;
struct store_idempotency;

/* Where the request has an Idempotency-Key: notes in the call what tells it from other requests,
   while its body is still as it came. */
void fcgi_idempotency_digest(struct fcgi_call *call, const void *body, gsize size);

/* The Idempotency-Key of a request, for this very request: sets workspace, name and digest in key,
   which is zero, and *given_r false where there is none. INVALID when it is no key. */
bool fcgi_idempotency_read(
    struct fcgi_call *call, struct store_idempotency *key, bool *given_r, GError **error);

#endif
