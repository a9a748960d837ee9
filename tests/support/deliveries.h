/* SPDX-License-Identifier: MIT */
/* Deliveries of webhooks, for tests that read and replay them. */
#ifndef TESTS_SUPPORT_DELIVERIES_H
#define TESTS_SUPPORT_DELIVERIES_H

#include <glib.h>

#include "base/id.h"
#include "store/webhook/webhook.h"

struct db;

/* A zero stands for a new id, WEBHOOK_EMAIL_SENT, DELIVERY_PENDING, now, or no time. */
struct test_delivery {
	struct base_id webhook, id, event;
	enum store_webhook_type type;
	enum store_delivery_status status;
	gint64 created, next_attempt;
	guint attempts; /* stored, each after the one before by a second, and answered 500 */
};

/* Stores it with its attempts, and sets what was zero. A failure fails the test. */
void test_delivery_store(
    struct db *db, const struct base_id *workspace, struct test_delivery *delivery);

#endif
