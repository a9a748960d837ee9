/* SPDX-License-Identifier: MIT */
/* A house with webhooks, whose receivers the spool is to tell events. */
#ifndef TESTS_SPOOL_TELLING_H
#define TESTS_SPOOL_TELLING_H

#include "tests/support/house.h"
#include "tests/support/program.h"
#include "tests/support/receiver.h"

#define END_MS 240000
#define NOW ((gint64)1800000000000)
#define SECOND_MS ((gint64)1000)
#define MINUTE_MS (60 * SECOND_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)
#define KEY "0123456789abcdef0123456789abcdef"
#define OTHER_KEY "fedcba9876543210fedcba9876543210"

struct test_house *telling_house(void);

/* Ends the test unless it is done. */
void telling_must(bool done, const GError *error);

/* The key of a webhook as it is stored. The caller owns it. */
GBytes *telling_seal(const struct test_house *house, const struct base_id *id, const char *key);

/* Adds a webhook with KEY. */
struct base_id telling_webhook(struct test_house *house, struct receiver *receiver, bool batch);

/* Adds an event of that time, which counts as one of an email if that is given. number is its data.
 */
struct base_id telling_event(struct test_house *house, const struct base_id *webhook,
    const struct base_id *email, gint64 at, guint number);
void telling_events(
    struct test_house *house, const struct base_id *webhook, gint64 at, guint count);

/* Starts the spool at a time; telling_run waits for its end. */
struct test_program *telling_start(struct test_house *house, gint64 now, const char *jobs);
void telling_run(struct test_house *house, gint64 now);

/* Expects that a statement gives a number. */
void telling_expect(struct test_house *house, const char *name, const char *sql, gint64 want);

#define WITH(status) "SELECT COUNT(*) FROM webhook_delivery WHERE status = " #status
#define ATTEMPTS "SELECT COUNT(*) FROM webhook_attempt"

/* Answers with the statuses of data, one after the other, then with the last of them. */
char *telling_say_in_turn(guint number, const struct receiver_request *request, void *data);

#endif
