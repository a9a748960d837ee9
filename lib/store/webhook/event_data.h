/* SPDX-License-Identifier: MIT */
/* Reads the data of events that webhooks get. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_WEBHOOK_EVENT_DATA_H
#define STORE_WEBHOOK_EVENT_DATA_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/email/email.h"
#include "store/email/event.h"

struct db;

/* An event, and what is stored of it; the latter is NULL where it is gone, or does not apply. */
struct store_webhook_event_data {
	const struct base_id *id, *workspace;
	const struct base_id *email_id; /* NULL: no event of an email */
	int number;			/* of the recipient; -1: an older program has not told it */
	gint64 created;			/* when it happened, epoch ms */

	char *data;		   /* of webhook_event */
	struct store_email *email; /* with id, type, sender, to, subject, tags, created,
				      scheduled_at, template_id, headers, broadcast_id */
	char *recipient;	   /* the address */
	struct store_event *event; /* of the recipient */
};

/* Reads the data of events in one round trip. The caller clears them. */
bool store_webhook_event_data_read(
    struct db *db, struct store_webhook_event_data *events, guint count, GError **error);

/* The id by which clients know the email: of a broadcast's part that of the broadcast. */
const struct base_id *store_webhook_event_data_id(const struct store_webhook_event_data *told);

void store_webhook_event_data_clear(struct store_webhook_event_data *events, guint count);

#endif
