/* SPDX-License-Identifier: MIT */
/* Addresses in messages that tell of their readers, for tests that follow them. */
#ifndef TESTS_HTTP_TRACKING_H
#define TESTS_HTTP_TRACKING_H

#include <glib.h>

#include "tests/http/exchange.h"
#include "tests/http/tenant.h"

struct arrival;

/* Lets the tenant's domain tell of opens and clicks. */
void tracking_enable(const struct tenant *tenant, bool opens, bool clicks);

/* What stands behind the instance's address in the value of the n-th attribute of this name that
   begins with that and prefix, references decoded: "/t/c/...". The caller owns it. */
char *tracking_path(
    const struct tenant *tenant, const char *html, const char *attribute, const char *prefix);

/* The html part of a message. The caller owns it. */
char *tracking_html(const struct arrival *arrival);

/* Waits until the email's first recipient has so many events; the email, which the caller owns. */
struct answer *tracking_wait(const struct tenant *tenant, const char *id, guint events);

#endif
