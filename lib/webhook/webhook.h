/* SPDX-License-Identifier: MIT */
/* Webhooks: checks their fields, and makes, keeps and changes their secrets. */
#ifndef WEBHOOK_H
#define WEBHOOK_H

#include <glib.h>
#include <stdbool.h>

#include "json/view.h"
#include "store/webhook/delivery.h"

struct service;

/* The members of a webhook (struct store_webhook): id, url, events, enabled, description, batch,
   created, disabled_reason, failing_since, previous_expires. */
extern const struct json_view webhook_view;

/* The members of a delivery (struct store_webhook_delivery): id, webhook_id, event_id, type,
   status, created, next_attempt, attempts. */
extern const struct json_view webhook_delivery_view;

/* Bytes of a secret; its text is "whsec_" and their base64, padded. */
#define WEBHOOK_KEY_BYTES 32

/* Reads names of events, NULL-terminated, or "*", which is all of them, as WEBHOOK_BIT of each.
   INVALID "events must not be empty" or "events[1] must be the name of an event". */
bool webhook_events(const char *const *names, guint64 *events_r, GError **error);

/* Read the words of filters; NULL gives 0. INVALID "status must be one of pending, succeeded,
   failed" and "type must be the name of an event". */
bool webhook_delivery_status(
    const char *word, enum store_delivery_status *status_r, GError **error);
bool webhook_delivery_type(const char *name, enum store_webhook_type *type_r, GError **error);

/* The names of events as a JSON array; all of them are "*". The caller owns it. */
char *webhook_event_names(guint64 events);

/* Checks the url of a webhook. INVALID when it is malformed or may not be connected to ([fetch]
   allow, ports). */
bool webhook_check_url(const struct service *service, const char *url, GError **error);

/* Stores a new webhook of which workspace_id, url, events, form, enabled, batch and description are
   set, and sets id, created and secret. Returns the text of the secret, which the caller owns.
   INVALID as of webhook_check_url; CONFLICT as of store_webhook_create. */
char *webhook_create(struct service *service, struct store_webhook *webhook, GError **error);

/* Checks a new url with webhook_check_url; otherwise like store_webhook_change. */
struct store_webhook *webhook_change(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct store_webhook_change *change, GError **error);

/* Makes a new secret, and returns its text, which the caller owns. *expires_r: the secret before
   signs too until then. NOT_FOUND. */
char *webhook_rotate(struct service *service, const struct base_id *workspace,
    const struct base_id *id, gint64 *expires_r, GError **error);

/* The text of the secret that is the newest one, which the caller owns. FAILED when it cannot be
   decrypted. */
char *webhook_secret(struct service *service, const struct store_webhook *webhook, GError **error);

/* Decrypts the keys that sign now, the newest first. keys_r has room for two; the caller owns them.
   FAILED when a secret cannot be decrypted. */
bool webhook_secrets(struct service *service, const struct store_webhook *webhook, GBytes **keys_r,
    guint *count_r, GError **error);

/* Until when the secret before signs too; 0 when there is none, or when it has ended. */
gint64 webhook_previous_expires(const struct store_webhook *webhook);

#endif
