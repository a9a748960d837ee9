/* SPDX-License-Identifier: MIT */
/* Broadcasts that leave, for tests that are about them. */
#ifndef TESTS_HTTP_BROADCAST_H
#define TESTS_HTTP_BROADCAST_H

#include <glib.h>

#include "tests/http/arrival.h"

struct fixture;

#define OUT "<a href=\\u0022{{unsubscribe_url}}\\u0022>out</a>"

/* Sends a request, and expects this status. The text at a place of the answer, NULL for none; the
   caller owns it. */
char *broadcast_ask(const struct fixture *fixture, const char *method, const char *path,
    const char *body, guint status, const char *place);

/* Writes a broadcast with these members, and sends it. Its path, which the caller owns. */
char *broadcast_new(const struct fixture *fixture, const char *members);
const char *broadcast_id(const char *path);

/* The message to somebody. */
struct arrival *broadcast_message(
    const struct fixture *fixture, const char *path, const char *address);
void broadcast_expect_header(
    const struct arrival *arrival, const char *name, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Makes an audience with a contact. The caller owns its id. */
char *broadcast_audience(const struct fixture *fixture, const char *name, const char *contact);

#endif
