/* SPDX-License-Identifier: MIT */
/* Received mail, recorded as events of the contacts who wrote it. */
#ifndef AUTOMATION_RECEIVED_H
#define AUTOMATION_RECEIVED_H

#include <glib.h>
#include <stdbool.h>

struct service;

/* Records a batch of the queue (store/received/event.h). *count_r: how many events it had. Any
   number of processes may run this at once: each event is claimed by one of them, and is due again
   in a few minutes if that dies. Errors of db/transaction.h. */
bool automation_received_run(struct service *service, guint *count_r, GError **error);

#endif
