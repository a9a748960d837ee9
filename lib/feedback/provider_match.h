/* SPDX-License-Identifier: MIT */
/* Finds the recipients that the events of a provider are about. */
#ifndef FEEDBACK_PROVIDER_MATCH_H
#define FEEDBACK_PROVIDER_MATCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "provider/event.h"

struct service;

/* An event and a recipient. */
struct feedback_provider_match {
	const struct provider_event *event; /* of the batch */
	struct base_id email_id;
	guint number; /* of the recipient in the email */
	gint64 sent;  /* epoch ms at which the relay took the message */
};

/* Matches the events of a batch, but those of PROVIDER_OTHER, with the recipients of messages that
   the relay of this name has taken. An event names its message by the provider's id, which stood in
   the relay's reply, by X-Posthouse-Id, by posthouse-id of the metadata, or by the Message-ID, in
   this order; the first that means a message of this relay decides. The event's recipient must be
   one of the message's. An event without one is about the only recipient of its message;
   PROVIDER_FAILED is about all of them. An event that names a message under way is waited for, up
   to 2.5 s. Returns an array of struct feedback_provider_match in the order of the events, and the
   number of events that have none in *unmatched_r. The caller owns it. Errors of db/statement.h. */
GArray *feedback_provider_match(struct service *service, const char *relay,
    const struct provider_batch *batch, guint *unmatched_r, GError **error);

#endif
