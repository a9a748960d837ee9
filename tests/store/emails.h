/* SPDX-License-Identifier: MIT */
/* Emails for the tests of what is stored of them. */
#ifndef TESTS_STORE_EMAILS_H
#define TESTS_STORE_EMAILS_H

#include "store/email.h"
#include "tests/store/place.h"

/* A small email to the addresses (NULL-terminated), not stored. The caller frees it. */
struct store_email *email_new(const struct base_id *workspace, const char *const *to);

/* Stores it as a transaction of its own. */
void email_store(struct place *place, struct store_email *email);

/* Both. Returns its id. The second one inside a transaction that is open. */
struct base_id email_send(
    struct place *place, const struct base_id *workspace, const char *const *to);
struct base_id email_send_within(
    struct place *place, const struct base_id *workspace, const char *const *to);

/* A recipient gets an event; the time is its timestamp. Returns its id. */
struct base_id email_event(struct place *place, const struct base_id *workspace,
    const struct base_id *email, guint recipient, enum store_event_status status, gint64 time);

#endif
