/* SPDX-License-Identifier: MIT */
/* The rows by which outcomes of messages are recorded (delivery/outcome.h), written in one
 * transaction.
 */
#ifndef DELIVERY_OUTCOME_ROWS_H
#define DELIVERY_OUTCOME_ROWS_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/email/event.h"

struct service;
struct store_outbox_claim;

/* A message of a broadcast that was paused when the message was read. */
struct delivery_record_pause {
	struct base_id workspace, broadcast;
	guint place; /* of its entry among the ends */
	gint64 at;   /* when it is due if the broadcast goes on meanwhile, epoch ms */
};

/* The rows to write for some messages. */
struct delivery_outcome_rows {
	struct service *service;
	const struct store_outbox_claim *claim;
	GArray *events;	 /* struct store_event */
	GArray *ends;	 /* struct store_outbox_end */
	GArray *bounces; /* struct delivery_bounce: bounces that may suppress their address */
	GArray *results; /* struct store_broadcast_result */
	GArray *places;	 /* struct store_place_sent: mailings that count for a cap now */
	GArray *copies;	 /* struct store_relay_copy: messages that a provider has taken */
	GArray *pauses;	 /* struct delivery_record_pause: messages of broadcasts that were paused */
	GPtrArray *splits; /* struct store_outbox_entry: entries to be made, which are among the
			      ends, too */
	guint snoozed;	   /* messages that were left out, since their recipients have snoozed */
	GPtrArray *owned;  /* memory that the others point to */
};

/* Sets *changes to no rows. service and claim are borrowed. The caller clears it. */
void delivery_outcome_rows_begin(struct delivery_outcome_rows *changes, struct service *service,
    const struct store_outbox_claim *claim);
void delivery_outcome_rows_clear(struct delivery_outcome_rows *changes);

/* Makes the changes free memory of g_malloc, and returns it. */
void *delivery_outcome_rows_own(struct delivery_outcome_rows *changes, void *pointer);

/* Writes all in one transaction. NOT_FOUND when the claim of an entry was lost; nothing is written
   then. */
bool delivery_outcome_rows_write(struct delivery_outcome_rows *changes, GError **error);

#endif
