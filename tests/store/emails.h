/* SPDX-License-Identifier: MIT */
/* Small emails for tests. */
#ifndef TESTS_STORE_EMAILS_H
#define TESTS_STORE_EMAILS_H

#include "store/email/email.h"
#include "tests/store/fixture.h"

/* A small email to the addresses (NULL-terminated), not stored. The caller frees it. */
struct store_email *email_new(const struct base_id *workspace, const char *const *to);

/* Stores it: the body of a transaction. */
bool email_insert(struct db *db, void *email, GError **error);

/* Stores it as a transaction of its own. */
void email_store(struct fixture *fixture, struct store_email *email);

/* Makes and stores an email, and returns its id. */
struct base_id email_send(
    struct fixture *fixture, const struct base_id *workspace, const char *const *to);

/* Stores an event of a recipient at this time, and returns its id. */
struct base_id email_event(struct fixture *fixture, const struct base_id *workspace,
    const struct base_id *email, guint recipient, enum store_event_status status, gint64 time);

#endif
