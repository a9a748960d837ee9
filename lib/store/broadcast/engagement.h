/* SPDX-License-Identifier: MIT */
/* The reader of an email, found by the token of a link and locked, and the count of opens and
   clicks. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_ENGAGEMENT_H
#define STORE_ENGAGEMENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/email/event.h"
#include "store/figure/figure.h"

struct db;
struct store_reader_links;

/* A reader: a recipient whom the token of a link names, not a user of a workspace. */
struct store_engagement {
	struct base_id workspace_id;
	struct base_id email_id;
	guint number;
	enum store_email_type type;
	bool is_mailing; /* the email has a topic, or says how to unsubscribe */
	bool is_test;	 /* of a broadcast: its links to unsubscribe change nothing */
	char *address;
	char *sender;	    /* of the email */
	gint64 engagements; /* its recorded opens and clicks; set by the functions that lock it */
	gint64 latest;	    /* the time of the reader's latest event, epoch ms; 0 = none */
	struct store_figure_origin origin; /* of the email */
	struct store_engagement_first {
		gint64 counted, now; /* epoch ms; 0 = none */
	} opened, clicked; /* the first ones that no program made: as the figures count them, and as
			      they are stored. Set by the functions that lock the reader */
	struct store_reader_links *links; /* of an email of a broadcast; NULL: none */
	bool has_topic;			  /* the email is about a topic, which may be gone */
	struct base_id topic_id;	  /* if has_topic */
	bool is_kept;			  /* the email was removed; type and latest are not known */
};

/* Reads a reader. NOT_FOUND when the email is gone, or the recipient was erased. The caller
   frees it. */
struct store_engagement *store_engagement_get(
    struct db *db, const struct base_id *email, guint number, GError **error);

/* Inside a transaction: the same, and locks the reader until the transaction ends. */
struct store_engagement *store_engagement_lock(
    struct db *db, const struct base_id *email, guint number, GError **error);

/* A reader of a mailing that was removed. NOT_FOUND. The caller frees it. */
struct store_engagement *store_engagement_get_kept(
    struct db *db, const struct base_id *email, guint number, GError **error);

/* Names a reader. */
struct store_engagement_name {
	struct base_id email_id;
	guint number;
};

/* Orders names; transactions lock readers in this order. */
int store_engagement_compare(
    const struct store_engagement_name *a, const struct store_engagement_name *b);

/* Inside a transaction: locks many readers, in a round trip for each LOCK_READERS of them. names is
   sorted, each name once. Returns an array of struct store_engagement, in the order of the names,
   NULL where there is none. The caller frees it with its readers. */
#define LOCK_READERS 20
GPtrArray *store_engagement_lock_all(
    struct db *db, const struct store_engagement_name *names, guint count, GError **error);

/* Inside a transaction: stores the numbers of engagements of readers, and the times of their first
   ones with those among the new events, of which the figures then count the people. Skips the NULLs
   among the readers. Deferred (db_defer). */
bool store_engagement_count(struct db *db, const GPtrArray *readers,
    const struct store_event *events, guint count, GError **error);

/* Tells which events each of these readers has already that come once: the bits of their statuses
   (1 << EVENT_DELIVERED) in statuses_r. EVENT_BOUNCED counts only for good (BOUNCE_PERMANENT). In a
   round trip for each LOCK_READERS of them; names as of store_engagement_lock_all. */
bool store_engagement_statuses(struct db *db, const struct store_engagement_name *names,
    guint count, guint *statuses_r, GError **error);

void store_engagement_free(struct store_engagement *reader);
DEFINE_AUTO(store_engagement, store_engagement_free)

/* Calls row for the reader's events since a time (epoch ms), 1000 at most. The event lives as long
   as the call. */
bool store_engagement_recent(struct db *db, const struct store_engagement *reader, gint64 since,
    void (*row)(const struct store_event *event, void *context), void *context, GError **error);

/* Whether the reader has an event of this status. */
bool store_engagement_has(struct db *db, const struct store_engagement *reader,
    enum store_event_status status, bool *has_r, GError **error);

/* Inside a transaction: marks the reader's opens and clicks since a time as automated, corrects the
   figures, and takes back events of which workflows are not notified yet. */
bool store_engagement_mark(
    struct db *db, struct store_engagement *reader, gint64 since, GError **error);

#endif
