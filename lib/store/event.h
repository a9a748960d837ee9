/* SPDX-License-Identifier: MIT */
/* The events of emails: records and lists them, and queues those that automation waits for. */
#ifndef STORE_EVENT_H
#define STORE_EVENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* Stored as number. */
enum store_email_type { EMAIL_TRANSACTIONAL = 1, EMAIL_AUTOMATION = 2 };

/* What became of a recipient. Stored as number. */
enum store_event_status {
	EVENT_NONE = 0, /* nothing yet; never stored */
	EVENT_SENT = 1,
	EVENT_DELIVERED = 2,
	EVENT_DELAYED = 3,
	EVENT_COMPLAINED = 4,
	EVENT_OPENED = 5,
	EVENT_CLICKED = 6,
	EVENT_UNSUBSCRIBED = 7,
	EVENT_SUPPRESSED = 8,
	EVENT_BOUNCED = 9,
	EVENT_FAILED = 10,
};

/* The word of the API for it, and the opposite: EVENT_NONE when there is none. */
const char *store_event_name(enum store_event_status status);
enum store_event_status store_event_status(const char *name);

/* Stored as number. */
enum store_bounce_type { BOUNCE_NONE = 0, BOUNCE_PERMANENT = 1, BOUNCE_TRANSIENT = 2 };

struct store_event {
	struct base_id id; /* made by store_event_insert */
	struct base_id workspace_id;
	struct base_id email_id;
	enum store_email_type
	    type;	 /* of the email, to save a look for its workflow; 0: not known here */
	guint recipient; /* its number in the email */
	enum store_event_status status;
	gint64 timestamp;	   /* epoch ms */
	const char *smtp_response; /* these are NULL where they do not apply */
	const char *enhanced_code;
	enum store_bounce_type bounce_type;
	const char *ip, *user_agent, *link;
	bool automated; /* of an open or a click: not the reader's doing, but a program's */
};

/* Whether a came before b (below 0) or after it (above 0). */
int store_event_compare(const struct store_event *a, const struct store_event *b);

/* A copy that owns its texts. */
struct store_event *store_event_copy(const struct store_event *event);
void store_event_free(struct store_event *copy);

/* Inside a transaction, best at its end: records the events, in their order, makes each its
   recipient's latest one, and tells the workflows that sent the emails (store/feedback_queue.h);
   nothing of recipients who were erased. Counts for the emails' domains what arrived and bounced
   (store/warmup.h). */
bool store_event_insert(struct db *db, struct store_event *events, guint count, GError **error);

/* What is shown of a recipient's events. */
struct store_event_history {
	GPtrArray *events; /* struct store_event, oldest first: the newest LIMIT_RECIPIENT_EVENTS */
	bool more;	   /* there are older ones */
};

/* Reads the newest events of each of an email's recipients, by their numbers, in one round trip
   while the email has few of them; rows that are not shown are not read where it has many. The
   caller clears histories_r, which has count elements. */
bool store_event_newest(struct db *db, const struct base_id *email,
    struct store_event_history *histories_r, guint count, GError **error);
void store_event_history_clear(struct store_event_history *histories, guint count);

/* Where a page of events begins: behind the event of this time and id. */
struct store_event_place {
	gint64 timestamp;
	struct base_id id;
};

/* A page of an email's events, newest first, at most limit, as an array of struct store_event: of
   all recipients, or of the one with this number; before (NULL: from the newest on). The caller
   owns it. */
GPtrArray *store_event_page(struct db *db, const struct base_id *email, const guint *recipient,
    const struct store_event_place *before, guint limit, GError **error);

#endif
