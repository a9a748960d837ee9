/* SPDX-License-Identifier: MIT */
/* The journals of processes that died while they were sending, read and recorded. */
#ifndef DELIVERY_RECOVER_H
#define DELIVERY_RECOVER_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct email_watch;

/* Reads the journals of this machine whose owners have ended, and records their entries:
   - with known outcomes: the outcomes are recorded, and the message is not sent again;
   - with the final dot possibly sent and no reply: the outcome is uncertain;
   - all others: due again.
   The broadcasts with new results are added to watch (email/watched.h; NULL: nowhere). Errors of
   db/transaction.h; the journal then stays, for the next call. */
bool delivery_recover(struct service *service, struct email_watch *watch, GError **error);

#endif
