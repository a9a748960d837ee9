/* SPDX-License-Identifier: MIT */
/* The people who get a broadcast: who they are, whether they want it, and what became of each.
   Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_BROADCAST_RECIPIENT_H
#define STORE_BROADCAST_RECIPIENT_H

#include "store/broadcast/broadcast.h"

struct db_rows;

/* Stored as number. The part's recipient has the state of one who was sent a part. */
enum store_broadcast_fate {
	FATE_PENDING = 1, /* also while it is taken, and while it is tried again */
	FATE_SENT = 2,
	FATE_FAILED = 3,
	FATE_SKIPPED = 4,
	FATE_CANCELLED = 5,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define FATE_PENDING_SQL "1"
#define FATE_SENT_SQL "2"
#define FATE_SKIPPED_SQL "4"

/* Why one is skipped. Stored as number; 0: not. */
enum store_broadcast_reason {
	REASON_UNSUBSCRIBED = 1,
	REASON_TOPIC = 2,
	REASON_AUDIENCE = 3,
	REASON_SUPPRESSED = 4,
	REASON_DELETED = 5,
	REASON_SNOOZED = 6,
	REASON_CAP = 7, /* the person has had as many mailings as a cap allows */
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define REASON_SUPPRESSED_SQL "4"

/* Stored as number: bits. */
enum store_broadcast_mark {
	MARK_OPENED = 1,
	MARK_CLICKED = 2,
	MARK_BOUNCED = 4,
	MARK_COMPLAINED = 8,
	MARK_SEGMENT = 16, /* a segment names the person */
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define MARK_OPENED_SQL "1"
#define MARK_CLICKED_SQL "2"
#define MARK_BOUNCED_SQL "4"
#define MARK_COMPLAINED_SQL "8"
#define MARK_SEGMENT_SQL "16"

/* In place of a variant: it is not known before the winner is. */
#define BROADCAST_REST 5

/* A person of the workspace, and what decides whether the broadcast goes there. */
struct store_broadcast_person {
	struct base_id id;
	const char *address, *time_zone; /* borrowed from the rows */
	bool is_member;			 /* of an audience of the broadcast, */
	bool is_subscribed;		 /* and subscribed in one of them */
	bool has_agreed;		 /* to be reached by segments (store/consent/agreement.h) */
	enum store_broadcast_reason reason; /* why no mailing like this goes there; 0: one may */
};

/* Why the broadcast does not go to a person, whom a segment names or not; 0: it does. */
enum store_broadcast_reason store_broadcast_person_reason(
    const struct store_broadcast_person *person, bool is_named);

/* Reads the people with ids behind after (NULL: from the first on), at most limit, in order, for
   store_broadcast_person_next. by_segment: segments name people, too. Else people who are in none
   of the audiences may be left out. The caller frees the rows. */
struct db_rows *store_broadcast_people(struct db *db, const struct store_broadcast *broadcast,
    const struct base_id *after, guint limit, bool by_segment, GError **error);
bool store_broadcast_person_next(struct db_rows *rows, struct store_broadcast_person *person_r);

/* A row to be made. */
struct store_broadcast_recipient {
	struct base_id person_id;
	int variant;   /* or BROADCAST_REST */
	gint64 due;    /* epoch ms */
	bool is_named; /* by a segment */
};

/* The functions below run inside a transaction. */

/* Adds the rows that there are to counts_r by their variant, but no more than limit of them, and
   tells how many these are. */
bool store_broadcast_recipients_sample(struct db *db, const struct store_broadcast *broadcast,
    guint limit, guint counts_r[BROADCAST_REST + 1], guint *found_r, GError **error);

/* Makes rows, and counts them and those that are excluded. */
bool store_broadcast_recipients_add(struct db *db, const struct store_broadcast *broadcast,
    const struct store_broadcast_recipient *recipients, guint count, guint excluded,
    GError **error);

/* A recipient that waits for an opening. */
struct store_broadcast_wait {
	struct base_id broadcast_id, person_id;
	gint64 due; /* epoch ms */
};

/* Makes these times those at which the recipients are due. Deferred. */
bool store_broadcast_put_off(
    struct db *db, const struct store_broadcast_wait *waits, guint count, GError **error);

/* The state of a recipient after an attempt. */
struct store_broadcast_result {
	struct base_id workspace_id, broadcast_id, person_id;
	int variant;
	enum store_broadcast_fate fate;
	enum store_broadcast_reason reason;
	gint64 sent;   /* when a relay took the message, epoch ms; 0: none did */
	bool is_tried; /* a relay has answered */
};

/* Stores what became of people, each once, and counts it. Deferred. */
bool store_broadcast_settle(
    struct db *db, const struct store_broadcast_result *results, guint count, GError **error);

/* After the transaction of store_broadcast_settle: if all that was taken has a result, makes the
   broadcast due, so that it ends or goes on at once. The process that commits the last result sees
   all of them. */
bool store_broadcast_wake(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

#endif
