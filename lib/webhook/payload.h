/* SPDX-License-Identifier: MIT */
/* The payloads of webhooks: an event as it is sent. */
#ifndef WEBHOOK_PAYLOAD_H
#define WEBHOOK_PAYLOAD_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/webhook/webhook.h"

struct service;
struct json_writer;
struct store_webhook_delivery;

/* An event of a delivery. */
struct webhook_event {
	struct base_id id, workspace_id; /* id: the event's */
	enum store_webhook_type type;
	struct base_id email_id; /* where has_email */
	bool has_email;
	int recipient;	/* the number of the event's recipient; -1: it is not known */
	gint64 created; /* when it happened, epoch ms */
	enum store_webhook_form form;

	/* Set by webhook_payloads: {"id", "type", "timestamp", "data"} as JSON text, or that
	   of the form (webhook/compat.h), to be freed with g_free; NULL when the email, or the
	   event itself, is gone. */
	char *payload;
};

/* Makes the payloads of events, of any workspaces, in one round trip for each 100, and one for each
   event of a domain in the compatible form. On error no payload is left. */
bool webhook_payloads(
    struct service *service, struct webhook_event *events, guint count, GError **error);

/* Writes the member "payload" of a delivery: the event as it is sent, or null when what it is about
   is gone. */
bool webhook_payload_write(struct json_writer *writer, struct service *service,
    const struct store_webhook_delivery *delivery, GError **error);

#endif
