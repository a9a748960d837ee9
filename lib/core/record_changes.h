/* SPDX-License-Identifier: MIT */
/* The rows by which outcomes of messages are recorded (core/record.h), written in one transaction.
 */
#ifndef CORE_RECORD_CHANGES_H
#define CORE_RECORD_CHANGES_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/event.h"

struct core;
struct store_outbox_claim;

/* An address that bounced; borrowed. */
struct core_record_bounce {
	const struct base_id *workspace, *email;
	const char *address;
	enum store_bounce_type type;
	bool gone; /* its mailbox does not exist */
};

/* A message of a broadcast that was paused when the message was read. */
struct core_record_pause {
	struct base_id workspace, broadcast;
	guint place; /* of its entry among the ends */
	gint64 at;   /* when it is due if the broadcast goes on meanwhile, epoch ms */
};

/* The rows to write for some messages. */
struct core_record_changes {
	struct core *core;
	const struct store_outbox_claim *claim;
	GArray *events;	  /* struct store_event */
	GArray *sent;	  /* struct store_email_sent: emails that the relay has accepted now */
	GArray *ends;	  /* struct store_outbox_end */
	GArray *bounces;  /* struct core_record_bounce: bounces that may suppress their address */
	GArray *results;  /* struct store_broadcast_result */
	GArray *copies;	  /* struct store_copy: messages that a provider has taken */
	GArray *pauses;	  /* struct core_record_pause: messages of broadcasts that were paused */
	GPtrArray *owned; /* memory that the others point to */
};

void core_record_changes_begin(
    struct core_record_changes *changes, struct core *core, const struct store_outbox_claim *claim);
void core_record_changes_clear(struct core_record_changes *changes);

/* Makes the changes free memory of g_malloc, and returns it. */
void *core_record_changes_own(struct core_record_changes *changes, void *pointer);

/* Writes all in one transaction. NOT_FOUND when the claim of an entry was lost; nothing is written
   then. */
bool core_record_changes_write(struct core_record_changes *changes, GError **error);

#endif
