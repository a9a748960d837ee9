/* SPDX-License-Identifier: MIT */
/* A fixture whose relay has a provider that reports in the generic form. */
#ifndef TESTS_CORE_PROVIDED_H
#define TESTS_CORE_PROVIDED_H

#include "tests/lib/fixture.h"
#include "tests/lib/reporter.h"

/* A relay that takes each message as <Reply-1.>. */
extern const struct smtp_script provided_relay;

/* A fixture with this relay as "a"; more: further settings. */
struct fixture *provided_world(const struct smtp_server *relay, const char *more);

/* Posts a body to the endpoint, with this id. */
struct feedback_provider_result provided_post(
    const struct reporter *reporter, struct fixture *fixture, const char *body, const char *id);

/* Expects the events of an email, as fixture_events prints them. */
void provided_expect(
    struct fixture *fixture, const char *name, const struct base_id *email, const char *want);

/* A column of the latest copy that the relay got, an id, as text. The caller owns it. */
char *provided_copy(struct fixture *fixture, const char *column);

#endif
