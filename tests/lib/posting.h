/* SPDX-License-Identifier: MIT */
/* Submits and delivers emails of a fixture. */
#ifndef TESTS_CORE_POSTING_H
#define TESTS_CORE_POSTING_H

#include "consent/unsubscribe.h"
#include "delivery/delivery.h"
#include "service/once.h"
#include "tests/lib/fixture.h"

/* An operator who uses the API, and a reader who uses the button of an email, or takes that back.
 */
extern const struct store_consent_act posting_api;
extern const struct consent_wish posting_leave, posting_return;

/* The id of a request's email. The caller owns it. */
char *posting_write_id(const struct service_once *request);

/* The key of a request to /v1/emails with this body, answered by the id. */
struct service_idempotency posting_key(
    const struct fixture *fixture, const char *name, const char *body);

/* Stores an email, without an attempt to send it. */
struct base_id posting_store(struct fixture *fixture, const struct email_submission *submission);

/* Stores an email from a@example.com to these addresses, separated by blanks; it is due at once. */
struct base_id posting_submit(struct fixture *fixture, const char *addresses);

/* Claims all due entries, and starts to deliver them. */
struct delivery *posting_start(struct fixture *fixture);

/* Claims and delivers all due entries. */
void posting_deliver(struct fixture *fixture);

/* Makes all due entries look as if a machine that was lost long ago had claimed them. */
void posting_lose(struct fixture *fixture);

/* Expects these events of the email, as fixture_events prints them, and this outbox. */
void posting_expect(struct fixture *fixture, const char *name, const struct base_id *email,
    const char *want_events, const char *want_outbox);

/* Expects that both signatures of a message from the fixture's domain are good. Ends the test as
   skipped where nobody can tell. */
void posting_expect_signed(struct fixture *fixture, const char *message, gsize size);

#endif
