/* SPDX-License-Identifier: MIT */
/* The events of emails: records and lists them, and queues those that automation waits for. Errors
   that a function does not name are those of db/statement.h. */
#ifndef STORE_EMAIL_EVENT_H
#define STORE_EMAIL_EVENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct store_figure_origin;

/* Stored as number. The last two are stored alone: a transactional email of another stream
   (store/email/stream.h). */
enum store_email_type {
	EMAIL_TRANSACTIONAL = 1,
	EMAIL_AUTOMATION = 2,
	EMAIL_BROADCAST = 3,
	EMAIL_BY_AUTOMATION = 4,
	EMAIL_BY_BROADCAST = 5,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define EMAIL_TRANSACTIONAL_SQL "1"
#define EMAIL_AUTOMATION_SQL "2"
#define EMAIL_BY_AUTOMATION_SQL "4"
#define EMAIL_BROADCAST_SQL "3"

/* The fate of an email for a recipient. Stored as number. */
enum store_event_status {
	EVENT_NONE = 0, /* no event yet; never stored */
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
	EVENT_REPLIED = 54, /* link is the text of the received mail's id */
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define EVENT_SENT_SQL "1"
#define EVENT_DELIVERED_SQL "2"
#define EVENT_COMPLAINED_SQL "4"
#define EVENT_OPENED_SQL "5"
#define EVENT_CLICKED_SQL "6"
#define EVENT_UNSUBSCRIBED_SQL "7"
#define EVENT_BOUNCED_SQL "9"

/* The word of the API for a status, and the status of a word, EVENT_NONE for an unknown one. */
const char *store_event_name(enum store_event_status status);
enum store_event_status store_event_status(const char *name);

/* Stored as number. */
enum store_bounce_type { BOUNCE_NONE = 0, BOUNCE_PERMANENT = 1, BOUNCE_TRANSIENT = 2 };
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define BOUNCE_PERMANENT_SQL "1"

struct store_event {
	struct base_id id; /* made by store_event_insert */
	struct base_id workspace_id;
	struct base_id email_id;
	enum store_email_type
	    type;	    /* of the email: avoids a search for its workflow; 0 = not known */
	guint recipient;    /* its number in the email */
	const char *mailed; /* of a mailing whose type is known: the recipient's address; not
			       stored. NULL: no mailing */
	enum store_event_status status;
	gint64 timestamp;	   /* epoch ms */
	const char *smtp_response; /* these are NULL where they do not apply */
	const char *enhanced_code;
	enum store_bounce_type bounce_type;
	const char *ip, *user_agent, *link;
	bool automated; /* of an open or a click: made by a program */
	gint64
	    feedback_at; /* epoch ms: when workflows may be notified; not stored with it. 0: now */
	const char *relay;  /* of sent, delayed, bounced and failed: its name; NULL: none */
	bool is_test;	    /* of a test address: its domain does not count it; not stored */
	const char *domain; /* the sender's, for the metrics; NULL: not known */
	const struct store_figure_origin *origin; /* for the figures, not stored, as is address;
						     NULL: not counted */
	const char *address;			  /* the recipient's */
};

/* Orders events by time: below 0 when a came before b, above 0 when after. */
int store_event_compare(const struct store_event *a, const struct store_event *b);

/* A copy that owns its texts. */
struct store_event *store_event_copy(const struct store_event *event);
void store_event_free(struct store_event *copy);
DEFINE_AUTO(store_event, store_event_free)

/* Inside a transaction, best at its end: stores the events in their order, makes each its
   recipient's latest one, and queues those that automation waits for (store/automation/feedback.h),
   but for automated ones, and those that webhooks want (store/webhook/enqueue.h). Skips recipients
   who were erased. Counts arrivals and bounces for the emails' domains (store/outbox/warmup.h), and
   figures (store/figure/figure.h). */
bool store_event_insert(struct db *db, struct store_event *events, guint count, GError **error);

/* The events of a recipient that answers show. */
struct store_event_history {
	GPtrArray *events; /* struct store_event, oldest first: the newest LIMIT_RECIPIENT_EVENTS */
	bool more;	   /* there are older ones */
};

/* Reads the newest events of each of an email's recipients, indexed by their numbers. One round
   trip while the email has few events; with many, reads only the rows that are shown. The caller
   clears histories_r, which has count elements. */
bool store_event_newest(struct db *db, const struct base_id *email,
    struct store_event_history *histories_r, guint count, GError **error);
void store_event_history_clear(struct store_event_history *histories, guint count);

/* For store/email/read.c, which reads the events with their recipients: makes the histories of an
   email's recipients of all its events, which it takes out of the array. */
void store_event_share(GPtrArray *events, struct store_event_history *histories_r, guint count);

/* Up to this number, all events of an email are read at once; beyond it, the newest ones of each
   recipient. */
#define STORE_EVENT_FEW 1000

/* The place behind the event of this time and id: a page of events begins there. */
struct store_event_place {
	gint64 timestamp;
	struct base_id id;
};

/* A page of an email's events, newest first, at most limit, as an array of struct store_event:
   of all recipients (recipient NULL), or of the one with this number; behind before (NULL: from
   the newest on). The caller owns it. */
GPtrArray *store_event_page(struct db *db, const struct base_id *email, const guint *recipient,
    const struct store_event_place *before, guint limit, GError **error);

#endif
