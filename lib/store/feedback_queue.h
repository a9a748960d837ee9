/* SPDX-License-Identifier: MIT */
/* The way in of the queue from which workflows learn what became of their emails. */
#ifndef STORE_FEEDBACK_QUEUE_H
#define STORE_FEEDBACK_QUEUE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* An event of an email. */
struct store_feedback_queued {
	const struct base_id *event_id, *email_id;
	int status;	  /* enum store_event_status */
	gint64 timestamp; /* epoch ms */
	const char *link; /* NULL: none */
};

/* Inside a transaction: queues those whose emails were sent by workflows, to contacts who are still
   there. */
bool store_feedback_queue_add(
    struct db *db, const struct store_feedback_queued *events, guint count, GError **error);

#endif
