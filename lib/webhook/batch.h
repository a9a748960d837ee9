/* SPDX-License-Identifier: MIT */
/* Deliveries that are one request to a webhook, and what became of it. */
#ifndef WEBHOOK_BATCH_H
#define WEBHOOK_BATCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/webhook/claim.h"

struct service;
struct fetch_post;

/* A delivery with its event as JSON; payload NULL: its email was removed. */
struct webhook_entry {
	struct store_delivery delivery;
	char *payload;
};

struct webhook_batch {
	GArray *entries; /* of struct webhook_entry: one, or a batch */
	bool has_batch;
	struct base_id batch_id;
	guint64 number;		    /* its place in the order */
	struct webhook_batch *next; /* waits until the first attempt of this one has ended */

	/* The outcome. */
	struct store_attempt attempt; /* its texts are the two below */
	struct store_attempt removed; /* of deliveries without payload */
	char *body, *error;
	gint64 ended;	     /* epoch ms */
	gint64 next_attempt; /* after a failure; 0: it was the last one */
	bool lost;	     /* there was nothing to tell, so no attempt was made */
};

/* A request without deliveries. The caller frees it. */
struct webhook_batch *webhook_batch_new(void);
void webhook_batch_free(struct webhook_batch *unit);
DEFINE_AUTO(webhook_batch, webhook_batch_free)

/* Adds a delivery without its payload. */
void webhook_batch_add(struct webhook_batch *unit, const struct store_delivery *delivery);

/* Reads the payloads of these units of a webhook, of struct webhook_batch. Errors of
 * db/statement.h. */
bool webhook_batch_load(struct service *service, const struct store_webhook_state *webhook,
    const GPtrArray *units, GError **error);

/* The keys with which requests to the webhook are signed now; keys_r has room for two. The caller
   owns them. Errors of webhook_secrets. */
bool webhook_batch_keys(struct service *service, const struct store_webhook_state *webhook,
    GBytes **keys_r, guint *count_r, GError **error);

/* The request, signed now, to be given a lane. NULL when there is nothing to tell: the outcome is
   then set. The caller frees the post, or hands it to a poster. */
struct fetch_post *webhook_batch_post(struct webhook_batch *unit,
    const struct store_webhook_state *webhook, GBytes *const *keys, guint count);

/* Takes the outcome of its post. */
void webhook_batch_end(struct webhook_batch *unit, const struct fetch_post *post);

/* Whether the outcome is an answer 2xx. */
bool webhook_batch_succeeded(const struct webhook_batch *unit);

/* Inside a transaction: stores the outcome of units. */
bool webhook_batch_store(struct service *service, const struct store_webhook_state *webhook,
    const GPtrArray *units, GError **error);

#endif
