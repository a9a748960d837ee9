/* SPDX-License-Identifier: MIT */
/* Audiences and their contacts, for tests that are about them. */
#ifndef TESTS_HTTP_AUDIENCE_H
#define TESTS_HTTP_AUDIENCE_H

#include <glib.h>

#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

/* Sends a request with a body (' stands for ") or without (NULL). The caller owns the answer. */
struct answer *audience_ask(const struct fixture *fixture, const char *method, const char *body,
    const char *path, ...) G_GNUC_PRINTF(4, 5);

/* The same, and expects this status and body (' stands for "; NULL for any). */
void audience_expect(const struct fixture *fixture, const char *method, const char *body,
    guint want_status, const char *want_body, const char *path, ...) G_GNUC_PRINTF(6, 7);

/* Create an audience, and a contact of one. The caller owns the ids. */
char *audience_new(const struct fixture *fixture, const char *name);
char *audience_add(const struct fixture *fixture, const char *audience, const char *contact);

/* Expects these values of both counters. */
void audience_expect_counts(
    const struct fixture *fixture, const char *audience, gint64 contacts, gint64 unsubscribers);

/* All contacts by their pages, in their order, as an array of answers; each page but the last must
   be full. The caller owns it. */
GPtrArray *audience_pages(const struct fixture *fixture, const char *audience);

#endif
