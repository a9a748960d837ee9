/* SPDX-License-Identifier: MIT */
/* Broadcasts: drafts, their states and their counts. */
#ifndef STORE_BROADCAST_H
#define STORE_BROADCAST_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Stored as number. */
enum store_broadcast_status {
	BROADCAST_DRAFT = 1,
	BROADCAST_SCHEDULED = 2,
	BROADCAST_SENDING = 3,
	BROADCAST_TESTING = 4, /* the test share has left, the rest waits for the winner */
	BROADCAST_PAUSED = 5,
	BROADCAST_SENT = 6,
	BROADCAST_CANCELLED = 7,
	BROADCAST_FAILED = 8, /* it could not start */
};

#define BROADCAST_BIT(status) (1U << (status))

/* The word of the API. */
const char *store_broadcast_status_name(enum store_broadcast_status status);

/* Why a broadcast is paused. Stored as number; 0: it is not. */
enum store_broadcast_pause {
	BROADCAST_PAUSED_BY_HAND = 1,
	BROADCAST_PAUSED_BOUNCES = 2,
	BROADCAST_PAUSED_COMPLAINTS = 3,
};

/* The word of the API; NULL for 0. */
const char *store_broadcast_pause_name(enum store_broadcast_pause pause);

/* Recipients by what became of them; pending is the rest of recipients. */
struct store_broadcast_counts {
	gint64 recipients, excluded, sent, skipped, failed, cancelled;
};

/* When a broadcast is to leave. */
struct store_broadcast_plan {
	gint64 scheduled_at;	/* epoch ms; 0: by local_time */
	const char *local_time; /* YYYY-MM-DDTHH:MM on each person's own clock; NULL: none */
	const char *time_zone;	/* with local_time: of people without one */
	gint64 spread;		/* ms */
	gint64 due;		/* epoch ms: when the spool starts it */
};

struct store_broadcast {
	struct base_id id, workspace_id;
	char *content; /* JSON object: what the requests gave; in lists without html and text */
	enum store_broadcast_status status;
	enum store_broadcast_pause pause;
	char *error;
	int winner;	     /* the number of a variant; -1: none */
	gint64 scheduled_at; /* these are 0 where they do not apply */
	char *local_time, *time_zone;
	gint64 spread, started_at, completed_at, created, updated;
	struct store_broadcast_counts counts;
};

void store_broadcast_free(struct store_broadcast *broadcast);
DEFINE_AUTO(store_broadcast, store_broadcast_free)

/* Stores a new draft. brief: content without html and text. */
bool store_broadcast_create(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const char *content, const char *brief, GError **error);

/* NOT_FOUND "Broadcast not found". The caller frees it. */
struct store_broadcast *store_broadcast_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* A page of broadcasts, newest first, at most limit, older than before (NULL: from the newest on),
   as an array of struct store_broadcast. The caller owns it. */
GPtrArray *store_broadcast_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* Inside a transaction: the broadcast, locked until it ends. NOT_FOUND; CONFLICT "Broadcast is
   STATUS" unless BROADCAST_BIT of its status is among allowed. The caller frees it. */
struct store_broadcast *store_broadcast_lock(struct db *db, const struct base_id *workspace,
    const struct base_id *id, unsigned allowed, GError **error);

/* The functions below change a broadcast that the transaction has locked. */

/* Gives a draft other contents. */
bool store_broadcast_write(struct db *db, const struct store_broadcast *broadcast,
    const char *content, const char *brief, GError **error);

/* Makes a draft scheduled. */
bool store_broadcast_schedule(struct db *db, const struct store_broadcast *broadcast,
    const struct store_broadcast_plan *plan, GError **error);

/* Makes a scheduled broadcast a draft. */
bool store_broadcast_unschedule(
    struct db *db, const struct store_broadcast *broadcast, GError **error);

bool store_broadcast_pause(struct db *db, const struct store_broadcast *broadcast,
    enum store_broadcast_pause reason, GError **error);

/* A paused broadcast goes on, sending or testing as it was. */
bool store_broadcast_resume(struct db *db, const struct store_broadcast *broadcast, GError **error);

/* What has not left never does. */
bool store_broadcast_cancel(struct db *db, const struct store_broadcast *broadcast, GError **error);

/* A broadcast that tests goes on with this variant. */
bool store_broadcast_decide(
    struct db *db, const struct store_broadcast *broadcast, int winner, GError **error);

bool store_broadcast_remove(struct db *db, const struct store_broadcast *broadcast, GError **error);

#endif
