/* SPDX-License-Identifier: MIT */
/* The messages of a workspace that have not left, and the reasons. Errors that a function does not
   name are those of db/statement.h. */
#ifndef STORE_OUTBOX_QUEUE_H
#define STORE_OUTBOX_QUEUE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

enum store_queue_state {
	QUEUE_DUE,	 /* not tried yet: its turn comes */
	QUEUE_SCHEDULED, /* not tried yet: its time comes */
	QUEUE_DELAYED,	 /* tried, or kept back */
	QUEUE_SENDING,	 /* a process has it now */
	QUEUE_HELD,	 /* until it is released */
};

/* "due", "scheduled", and so on. */
const char *store_queue_state_name(enum store_queue_state state);

/* Messages in one state for one reason. Times are epoch ms. */
struct store_queue_reason {
	enum store_queue_state state;
	char *reason; /* as in struct store_outbox_waiting, of one recipient of each message; NULL:
			 none */
	guint messages;
	gint64 oldest;		 /* since when the first of them waits */
	gint64 next_attempt;	 /* of the first of them; 0: none, they are held or being sent */
	struct base_id email_id; /* of one of them; */
	bool is_part;		 /* it is a part of a broadcast */
};

struct store_queue {
	gint64 messages, held; /* each counted to LIMIT_QUEUE_COUNTED; held ones are no messages */
	bool has_more;	       /* there are more messages than that */
	GPtrArray *reasons;    /* of struct store_queue_reason, most messages first, of the first
				  LIMIT_QUEUE_LOOKED to leave and as many held ones */
};

void store_queue_free(struct store_queue *queue);
DEFINE_AUTO(store_queue, store_queue_free)

/* Reads them, at a time. Its cost does not grow with the queue. The caller frees it. */
struct store_queue *store_queue_read(
    struct db *db, const struct base_id *workspace, gint64 now, GError **error);

#endif
