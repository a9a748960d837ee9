/* SPDX-License-Identifier: MIT */
/* Emails of a world on their way. */
#ifndef TESTS_CORE_POSTING_H
#define TESTS_CORE_POSTING_H

#include "core/deliver.h"
#include "tests/core/world.h"

/* Stores an email from a@example.com to these addresses, separated by blanks; it is due at once. */
struct base_id posting_submit(struct world *world, const char *addresses);

/* Claims all that is due, and starts to deliver it. */
struct core_delivery *posting_start(struct world *world);

/* The same, to its end. */
void posting_deliver(struct world *world);

/* As if another machine had claimed all that is due, and had been gone for long. */
void posting_lose(struct world *world);

/* Holds the email's events, as world_events gives them, and the outbox against what is wanted. */
void posting_expect(struct world *world, const char *name, const struct base_id *email,
    const char *want_events, const char *want_outbox);

#endif
