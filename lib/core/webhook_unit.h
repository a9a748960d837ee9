/* SPDX-License-Identifier: MIT */
/* Deliveries that are one request to a webhook, and what became of it. */
#ifndef CORE_WEBHOOK_UNIT_H
#define CORE_WEBHOOK_UNIT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/webhook_claim.h"

struct core;
struct fetch_post;

/* A delivery with its event as JSON; payload NULL: its email was removed. */
struct core_webhook_entry {
	struct store_delivery delivery;
	char *payload;
};

struct core_webhook_unit {
	GArray *entries; /* of struct core_webhook_entry: one, or a batch */
	bool has_batch;
	struct base_id batch_id;
	guint64 number;			/* its place in the order */
	struct core_webhook_unit *next; /* waits until the first attempt of this one has ended */

	/* The outcome. */
	struct store_attempt attempt; /* its texts are the two below */
	struct store_attempt removed; /* of deliveries without payload */
	char *body, *error;
	gint64 ended;	     /* epoch ms */
	gint64 next_attempt; /* after a failure; 0: it was the last one */
	bool lost;	     /* there was nothing to tell, so no attempt was made */
};

struct core_webhook_unit *core_webhook_unit_new(void);
void core_webhook_unit_free(struct core_webhook_unit *unit);
DEFINE_AUTO(core_webhook_unit, core_webhook_unit_free)

/* Adds a delivery without its payload. */
void core_webhook_unit_add(struct core_webhook_unit *unit, const struct store_delivery *delivery);

/* Reads the payloads of these units of a webhook, of struct core_webhook_unit. Errors of
 * db/statement.h. */
bool core_webhook_unit_load(struct core *core, const struct store_webhook_state *webhook,
    const GPtrArray *units, GError **error);

/* The keys with which requests to the webhook are signed now; keys_r has room for two. The caller
   owns them. Errors of core_webhook_secrets. */
bool core_webhook_unit_keys(struct core *core, const struct store_webhook_state *webhook,
    GBytes **keys_r, guint *count_r, GError **error);

/* The request, signed now, to be given a lane. NULL when there is nothing to tell: the outcome is
   then set. */
struct fetch_post *core_webhook_unit_post(struct core_webhook_unit *unit,
    const struct store_webhook_state *webhook, GBytes *const *keys, guint count);

/* Takes the outcome of its post. */
void core_webhook_unit_end(struct core_webhook_unit *unit, const struct fetch_post *post);

/* Whether the outcome is an answer 2xx. */
bool core_webhook_unit_succeeded(const struct core_webhook_unit *unit);

/* Inside a transaction: stores the outcome of units. */
bool core_webhook_unit_store(struct core *core, const struct store_webhook_state *webhook,
    const GPtrArray *units, GError **error);

#endif
