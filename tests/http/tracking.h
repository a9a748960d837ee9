/* SPDX-License-Identifier: MIT */
/* Tracked URLs in messages. */
#ifndef TESTS_HTTP_TRACKING_H
#define TESTS_HTTP_TRACKING_H

#include <glib.h>

#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

struct arrival;

/* Turns on open and click tracking for the fixture's domain. */
void tracking_enable(const struct fixture *fixture, bool opens, bool clicks);

/* The path in the n-th attribute of this name whose value begins with the instance's URL and
   prefix, with references decoded: "/t/c/...". The caller owns it. */
char *tracking_path(
    const struct fixture *fixture, const char *html, const char *attribute, const char *prefix);

/* The html part of a message. The caller owns it. */
char *tracking_html(const struct arrival *arrival);

/* Waits until the email's first recipient has this number of events. The caller owns the email. */
struct answer *tracking_wait(const struct fixture *fixture, const char *id, guint events);

#endif
