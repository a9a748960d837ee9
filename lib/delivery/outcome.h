/* SPDX-License-Identifier: MIT */
/* The outcomes of sent messages, recorded as events, and the schedule of retries. */
#ifndef DELIVERY_OUTCOME_H
#define DELIVERY_OUTCOME_H

#include <glib.h>
#include <stdbool.h>

#include "store/outbox/outbox.h"

struct service;
struct delivery_message;
struct email_watch;

/* Records the outcomes of claimed messages in one transaction: events, the latest status of each
   recipient, and what stays in the outbox. A message whose claim was lost meanwhile is left out:
   the process that has the claim now records it. The broadcasts with new results are added to watch
   (email/watched.h; NULL: nowhere). On errors (db/transaction.h) nothing is recorded;
   after UNCERTAIN it may be. */
bool delivery_outcome_record(struct service *service, const struct store_outbox_claim *claim,
    struct delivery_message *const *messages, guint count, struct email_watch *watch,
    GError **error);

/* When a message whose attempt number attempts (from 1) failed at now is due again: after 1, 5, 15
   and 30 minutes, 1, 2 and 4 hours, then every 8 hours; jitter (-1 to 1) moves each pause by up to
   a tenth. 0: that would be more than 48 hours after since, so the message is given up. attempts 0
   means that no attempt could be made: a minute later, with the same limit. Times are epoch ms. */
gint64 delivery_outcome_retry_at(guint attempts, gint64 since, gint64 now, double jitter);

/* Whether an attempt's delayed event is to be recorded: the first at once, then at most one in 4
   hours. last: the time of the previous one, 0 for none. */
bool delivery_outcome_tells_delay(gint64 last, gint64 now);

#endif
