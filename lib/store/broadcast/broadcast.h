/* SPDX-License-Identifier: MIT */
/* Broadcasts: drafts, their states and their counts. Errors that a function does not name are those
   of db/statement.h. */
#ifndef STORE_BROADCAST_BROADCAST_H
#define STORE_BROADCAST_BROADCAST_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/broadcast/status.h"

struct db;
struct store_page;

#define BROADCAST_BIT(status) (1U << (status))

/* The word of the API. */
const char *store_broadcast_status_name(enum store_broadcast_status status);

/* Why a broadcast is paused. Stored as number; 0: it is not. */
enum store_broadcast_pause {
	BROADCAST_PAUSED_BY_HAND = 1,
	BROADCAST_PAUSED_BOUNCES = 2,
	BROADCAST_PAUSED_COMPLAINTS = 3,
};

/* Why a message of a paused broadcast waits. */
#define STORE_BROADCAST_PAUSED "The broadcast is paused"

/* The word of the API; NULL for 0. */
const char *store_broadcast_pause_name(enum store_broadcast_pause pause);

/* Recipients by what became of them; pending is the rest of recipients. */
struct store_broadcast_counts {
	gint64 recipients, excluded, sent, skipped, failed, cancelled;
	gint64 taken; /* their turn has come */
};

/* When a broadcast is to leave. */
struct store_broadcast_plan {
	gint64 scheduled_at;	     /* epoch ms; 0: by local_time */
	const char *local_time;	     /* YYYY-MM-DDTHH:MM on each person's own clock; NULL: none */
	const char *time_zone;	     /* with local_time: of people without one */
	gint64 spread;		     /* ms */
	gint64 due;		     /* epoch ms: when the spool starts it */
	const struct base_id *topic; /* NULL: none */
	const struct base_id *audiences;
	guint audience_count;
	const struct base_id *models; /* an email for each variant (store/broadcast/part.h) */
	guint model_count;
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
	bool has_topic, is_complete; /* is_complete: all recipients have their rows */
	struct base_id topic_id;     /* if has_topic; set when it is sent */
	struct base_id place;	     /* the last person that the start has looked at */
	bool compat_tests;	     /* as of email_test_address */
	bool lacks_link;	     /* messages had no visible link to unsubscribe */
	gint64 decide_at;	     /* while it is testing: when the winner is known; 0: by hand */
};

void store_broadcast_free(struct store_broadcast *broadcast);
DEFINE_AUTO(store_broadcast, store_broadcast_free)

/* Stores a new draft. brief: content without html and text. compat_tests: as of the struct. */
struct store_broadcast_creation {
	const struct base_id *workspace, *id;
	const char *content, *brief;
	bool compat_tests;
};
bool store_broadcast_create(
    struct db *db, const struct store_broadcast_creation *creation, GError **error);

/* NOT_FOUND "Broadcast not found". The caller frees it. */
struct store_broadcast *store_broadcast_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* A page of broadcasts, newest first, at most limit, older than before (NULL: from the newest on),
   as an array of struct store_broadcast. The caller owns it. */
GPtrArray *store_broadcast_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* The same for a page on either side of a cursor. */
GPtrArray *store_broadcast_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

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

/* Pauses a broadcast for this reason, whether it is sending or testing: it is due no more. */
bool store_broadcast_pause(struct db *db, const struct store_broadcast *broadcast,
    enum store_broadcast_pause reason, GError **error);

/* A paused broadcast goes on, sending or testing as it was. */
bool store_broadcast_resume(struct db *db, const struct store_broadcast *broadcast, GError **error);

/* Ends a broadcast. Messages that have not left are never sent. */
bool store_broadcast_cancel(struct db *db, const struct store_broadcast *broadcast, GError **error);

/* A broadcast that tests goes on with this variant. */
bool store_broadcast_decide(
    struct db *db, const struct store_broadcast *broadcast, int winner, GError **error);

/* Removes a broadcast from view; store_broadcast_sweep frees its rows later. */
bool store_broadcast_remove(struct db *db, const struct store_broadcast *broadcast, GError **error);

/* The functions below are for the spool. */

/* Locks the broadcast for which there is something to do, the one that has waited longest, unless
   another process has locked it. *broadcast_r is NULL when there is none; the caller frees it. */
bool store_broadcast_due(
    struct db *db, gint64 now, struct store_broadcast **broadcast_r, GError **error);

/* Whether there is something to do for any broadcast, locked or not. */
bool store_broadcast_is_due(struct db *db, gint64 now, bool *is_due_r, GError **error);

/* Frees some rows of a removed broadcast, and it with the last ones. */
bool store_broadcast_sweep(struct db *db, const struct store_broadcast *broadcast, GError **error);

/* A scheduled broadcast is sending. rules: of its segments, as store_broadcast_rules gives them
   back until all recipients have their rows: an object by ids. The caller owns *rules_r, which is
   NULL when there are none. */
bool store_broadcast_begin(
    struct db *db, const struct store_broadcast *broadcast, const char *rules, GError **error);
bool store_broadcast_rules(
    struct db *db, const struct store_broadcast *broadcast, char **rules_r, GError **error);

/* A scheduled broadcast cannot start. */
bool store_broadcast_fail(
    struct db *db, const struct store_broadcast *broadcast, const char *text, GError **error);

/* The start has looked at people up to this one, or at all. */
bool store_broadcast_advance(struct db *db, const struct store_broadcast *broadcast,
    const struct base_id *place, bool is_complete, GError **error);

/* There is something to do again at a time, epoch ms. */
bool store_broadcast_await(
    struct db *db, const struct store_broadcast *broadcast, gint64 due, GError **error);

/* The test share has left: the broadcast is testing until decide_at, 0: until someone decides. */
bool store_broadcast_test(
    struct db *db, const struct store_broadcast *broadcast, gint64 decide_at, GError **error);

/* All recipients have their final states. */
bool store_broadcast_finish(struct db *db, const struct store_broadcast *broadcast, GError **error);

/* The warning of a broadcast that lacks_link. */
#define STORE_BROADCAST_LACKS "messages without a visible link to unsubscribe get a footer with one"

/* Notes that messages of a broadcast had no visible link. *is_first_r: that was not noted yet. */
bool store_broadcast_warn(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool *is_first_r, GError **error);

/* Inside a transaction: whether a broadcast is paused, which does not change until it ends. */
bool store_broadcast_hold_pause(struct db *db, const struct base_id *workspace,
    const struct base_id *id, bool *is_paused_r, GError **error);

/* Whether the broadcast's domain, templates, topic and audiences are there. *missing_r: NULL, or
   the noun of one that is not, a literal. */
bool store_broadcast_check(
    struct db *db, const struct store_broadcast *broadcast, const char **missing_r, GError **error);

#endif
