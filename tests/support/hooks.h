/* SPDX-License-Identifier: MIT */
/* Webhooks of tests, and what they are told. */
#ifndef TESTS_SUPPORT_HOOKS_H
#define TESTS_SUPPORT_HOOKS_H

#include <glib.h>

#include "service/service.h"
#include "tests/support/db.h"

/* Stores a webhook that wants these types (bits of enum store_webhook_type), and is on or off. */
struct base_id test_hooks_add(
    struct db *db, const struct base_id *workspace, guint64 events, bool enabled);

/* The webhook's deliveries in the order of their ids, a line for each: type and data, or type and
   "gone". Ids in the data are "#1", "#2" in the order of their first appearance, times are "T".
   Each payload is checked to have the event's id, type and time. The caller owns it. */
char *test_hooks_told(struct service *service, const struct base_id *webhook);

/* Expects these lines of the webhook, and forgets its deliveries. name: of the case. */
void test_hooks_expect(
    struct service *service, const struct base_id *webhook, const char *name, const char *want);

#endif
