/* SPDX-License-Identifier: MIT */
/* For tests that have the instance to themselves. */
#ifndef TESTS_HTTP_ALONE_H
#define TESTS_HTTP_ALONE_H

#include "tests/http/fixture.h"

/* Restarts the suite's instance with these settings (SECTION.KEY=VALUE); other settings that tests
   change get their defaults. The relay is the mail catcher unless [smtp] port is given. */
#define ALONE_SET(fixture, ...)                                                                    \
	alone_set(fixture, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})
void alone_set(const struct fixture *fixture, const char *const *settings);

/* The same, with a relay of the test at this port of 127.0.0.1. */
void alone_use_relay(const struct fixture *fixture, guint port, const char *more);

/* Runs posthouse-spool as if it were this many milliseconds later. */
void alone_spool(const struct fixture *fixture, gint64 later_ms);

/* The events of a recipient, "sent 250 ok,delivered": each status with its SMTP response, enhanced
   code and type where it has them. The caller owns it. */
char *alone_events(const struct fixture *fixture, const char *id, guint recipient);
void alone_expect_events(const struct fixture *fixture, const char *name, const char *id,
    guint recipient, const char *want);

#endif
