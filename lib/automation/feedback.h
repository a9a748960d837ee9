/* SPDX-License-Identifier: MIT */
/* Feedback: the delivery, opens and clicks of workflow emails, recorded as events of contacts. */
#ifndef AUTOMATION_FEEDBACK_H
#define AUTOMATION_FEEDBACK_H

#include <glib.h>
#include <stdbool.h>

struct service;

/* Records one batch of the feedback queue in a transaction. *count_r: how many rows it had. Any
   number of processes may run this at once. Errors of db/transaction.h. */
bool automation_feedback_run(struct service *service, guint *count_r, GError **error);

#endif
