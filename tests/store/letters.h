/* Emails for the tests of what is stored of them. */
#ifndef TESTS_STORE_LETTERS_H
#define TESTS_STORE_LETTERS_H

#include "store/email.h"
#include "tests/store/place.h"

/* A small email to the addresses (NULL-terminated), not stored. The caller frees it. */
struct email *letter_new(const struct id *workspace, const char *const *to);

/* Stores it as a transaction of its own. */
void letter_store(struct place *place, struct email *email);

/* Both. Returns its id. The second one inside a transaction that is open. */
struct id letter_send(struct place *place, const struct id *workspace, const char *const *to);
struct id letter_send_within(
    struct place *place, const struct id *workspace, const char *const *to);

/* A recipient gets an event; the time is its timestamp. Returns its id. */
struct id letter_event(struct place *place, const struct id *workspace, const struct id *email,
    guint recipient, enum event_status status, gint64 time);

#endif
