/* SPDX-License-Identifier: MIT */
/* Feedback: the delivery, opens and clicks of workflow emails, recorded as events of contacts. */
#ifndef AUTOMATION_FEEDBACK_H
#define AUTOMATION_FEEDBACK_H

#include <glib.h>
#include <stdbool.h>

struct service;

/* A batch of the feedback queue. */
struct automation_feedback_batch {
	guint count;   /* of its events */
	bool is_full;  /* there may be more */
	gint64 newest; /* when its last event happened, epoch ms */
};

/* Records one batch of the feedback queue in a transaction. Any number of processes may run this at
   once. Errors of db/transaction.h. */
bool automation_feedback_run(
    struct service *service, struct automation_feedback_batch *batch_r, GError **error);

#endif
