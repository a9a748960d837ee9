/* SPDX-License-Identifier: MIT */
/* Audiences and their contacts, for tests that are about them. */
#ifndef TESTS_HTTP_AUDIENCE_H
#define TESTS_HTTP_AUDIENCE_H

#include <glib.h>

#include "tests/http/exchange.h"
#include "tests/http/tenant.h"

/* Asks for a path, with a body that has ' in place of " or none (NULL). The caller owns it. */
struct answer *audience_ask(const struct tenant *tenant, const char *method, const char *body,
    const char *path, ...) G_GNUC_PRINTF(4, 5);

/* The same, which must be answered like this: the body, with ' in place of ", or NULL for any. */
void audience_expect(const struct tenant *tenant, const char *method, const char *body,
    guint want_status, const char *want_body, const char *path, ...) G_GNUC_PRINTF(6, 7);

/* A new one, and a new contact of it; their ids, which the caller owns. */
char *audience_new(const struct tenant *tenant, const char *name);
char *audience_add(const struct tenant *tenant, const char *audience, const char *contact);

/* Both counters must be these. */
void audience_expect_counts(
    const struct tenant *tenant, const char *audience, gint64 contacts, gint64 unsubscribers);

/* All contacts by their pages, in their order, as an array of answers; each page but the last must
   be full. The caller owns it. */
GPtrArray *audience_pages(const struct tenant *tenant, const char *audience);

#endif
