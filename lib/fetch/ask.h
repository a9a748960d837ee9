/* SPDX-License-Identifier: MIT */
/* Asking an address that the operator gives, not a request: any address is allowed. */
#ifndef FETCH_ASK_H
#define FETCH_ASK_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* An answer. */
struct fetch_answer {
	guint status;
	GString *text; /* its first FETCH_ASK_BYTES */
	char *header;  /* of fetch_ask_at: the value of its header; NULL: there was none */
};
#define FETCH_ASK_BYTES 65536

void fetch_answer_free(struct fetch_answer *answer);
DEFINE_AUTO(fetch_answer, fetch_answer_free)

/* Sends a GET with these headers ("Name: value", NULL-terminated) within limit_ms, and follows no
   redirect. INVALID with a phrase, such as "the server refuses connections", when there is no
   answer. The caller owns the answer. */
struct fetch_answer *fetch_ask(
    const char *url, const char *const *headers, guint limit_ms, GError **error);

/* The same, but sends a POST with this body. */
struct fetch_answer *fetch_ask_post(
    const char *url, const char *const *headers, GBytes *body, guint limit_ms, GError **error);

/* The same as fetch_ask, but connects to the host target instead of the URL's, at addresses (as
   CURLOPT_RESOLVE has them, the first that answers; NULL: those that the system knows); TLS is for
   the host of the URL. header: the name of the header to keep. */
struct fetch_answer *fetch_ask_at(const char *url, const char *target, const char *addresses,
    const char *header, guint limit_ms, GError **error);

#endif
