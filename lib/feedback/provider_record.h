/* SPDX-License-Identifier: MIT */
/* Records the events that a provider reports. */
#ifndef FEEDBACK_PROVIDER_RECORD_H
#define FEEDBACK_PROVIDER_RECORD_H

#include <glib.h>
#include <stdbool.h>

#include "provider/event.h"
#include "store/feedback/provider.h"

struct service;

/* The events of a request, counted by their outcomes. */
struct feedback_provider_result {
	guint received;
	guint recorded, duplicate, unmatched, ignored; /* of those received */
};

/* A text whose signature does not cover the body of its request, and that body. */
struct feedback_provider_signed {
	const char *text; /* NULL: the signature covers the body */
	const char *body;
	gsize size;
};

/* Records the events of a batch that are about copies of the endpoint's relay, in one transaction.

   - An event is recorded once, however often it comes: its key is the provider's id of it, the
     recipient and the status, and is kept for LIMIT_PROVIDER_EVENT_MS. EVENT_DELIVERED,
     EVENT_COMPLAINED, EVENT_UNSUBSCRIBED and a bounce for good are recorded once for each
     recipient, also when a report (feedback/report.h) named them before.
   - Its time is the provider's, but not before the relay took the message; it is now if the
     provider's is more than 5 minutes ahead, or not given.
   - A bounce for good suppresses the address, unless its code speaks about our mail and not about
     the mailbox (5.7.x, 5.6.x, 5.3.4). All else is as if a report had come.

   - A signed text is taken with the body that came with it first: with another one it is FORBIDDEN.
     It is kept as long as an event's key.

   Adds to the counts of result. Errors of db/transaction.h. */
bool feedback_provider_record(struct service *service, const struct store_provider *endpoint,
    const struct provider_batch *batch, const struct feedback_provider_signed *signed_alone,
    struct feedback_provider_result *result, GError **error);

#endif
