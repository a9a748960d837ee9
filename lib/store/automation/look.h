/* SPDX-License-Identifier: MIT */
/* Looks at the people of workspaces, for the segments and dates that workflows hear. Errors are
   those of db/statement.h. */
#ifndef STORE_AUTOMATION_LOOK_H
#define STORE_AUTOMATION_LOOK_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* A look. Times are epoch ms, 0: none. */
struct store_look {
	struct base_id workspace_id;
	gint64 began, ended, before_began, next_at;
	gint64 taken;	      /* until then a process holds it */
	struct base_id place; /* the last person that was looked at */
};

/* The workspace whose look is due, or goes on without a process, at now; *found_r: there is one. */
bool store_look_due(
    struct db *db, gint64 now, struct base_id *workspace_r, bool *found_r, GError **error);

/* Inside a transaction: locks the look of a workspace, which is made if there is none yet. */
bool store_look_lock(
    struct db *db, const struct base_id *workspace, struct store_look *look_r, GError **error);

/* Inside a transaction that has locked it: stores all members. */
bool store_look_put(struct db *db, const struct store_look *look, GError **error);

/* A segment that is heard. */
struct store_look_segment {
	struct base_id segment_id;
	gint64 since;	      /* epoch ms from which on it is heard */
	bool enters, leaves;  /* segment.entered or segment.left is heard */
	struct base_id rules; /* a hash of the rules by which it was looked at last */
	bool is_settled;      /* a whole look has stored who is in by these */
	gint64 look;	      /* the last look that it took part in: when that began; 0: none */
};

/* The segments of a workspace that are heard now, as an array of struct store_look_segment. The
   caller owns it. */
GArray *store_look_segments(struct db *db, const struct base_id *workspace, GError **error);

/* Stores rules, is_settled and look of a segment. */
bool store_look_segment_put(struct db *db, const struct base_id *workspace,
    const struct store_look_segment *segment, GError **error);

/* Removes what is stored of segments that took no part in a look, some rows at a time. */
bool store_look_forget(struct db *db, const struct base_id *workspace, gint64 look, GError **error);

/* At the end of a look: its segments are settled. *more_r: one is heard that took no part in it. */
bool store_look_settle(
    struct db *db, const struct base_id *workspace, gint64 look, bool *more_r, GError **error);

/* The people, in the order of ids, behind after and up to last, who are stored as in a segment: an
   array of struct base_id, which the caller owns. */
GArray *store_look_in(struct db *db, const struct base_id *segment, const struct base_id *after,
    const struct base_id *last, GError **error);

/* Those of some people, in the order of ids, whom an unconfirmed membership alone has made: an
   array of struct base_id in the same order, which the caller owns. */
GArray *store_look_unconfirmed(
    struct db *db, const struct base_id *workspace, const GArray *people, GError **error);

/* The same of all people behind after and up to last, by one statement. */
GArray *store_look_unconfirmed_between(struct db *db, const struct base_id *workspace,
    const struct base_id *after, const struct base_id *last, GError **error);

/* The people who enter a segment, or leave it. All borrowed. */
struct store_look_turn {
	const struct base_id *segment;
	const GArray *people; /* of struct base_id */
	bool is_in;	      /* they enter */
	guint number;	      /* of the segment in the look */
	const char *name; /* of the event that the spool tells each of them, with the time of the
			     look; NULL: it tells nothing */
};

/* Stores it. */
bool store_look_turn(struct db *db, const struct store_look *look,
    const struct store_look_turn *turn, GError **error);

/* A workflow that dates start. */
struct store_look_date {
	struct base_id workflow_id;
	guint version;
	gint64 since;
	guint number; /* in the order of their ids */
};

/* Those that are active, as an array of struct store_look_date. The caller owns it. */
GArray *store_look_dates(struct db *db, const struct base_id *workspace, GError **error);

/* A person's date that is reached, for a workflow. */
struct store_look_reached {
	struct base_id workflow, person;
	guint number; /* of the workflow: events of one moment come in the order of these */
	gint32 day;
	gint64 time;	  /* the moment, epoch ms */
	char *properties; /* of the event, JSON */
};

/* Tells it to the workflow, once for each day. */
bool store_look_date_tell(struct db *db, const struct base_id *workspace,
    const struct store_look_reached *reached, GError **error);

/* Forgets days whose moments are before a time. */
bool store_look_date_forget(
    struct db *db, const struct base_id *workspace, gint64 before, GError **error);

/* When the oldest last look began of workspaces that hear a segment or date, or, before the first,
   since when they hear it: epoch ms. *heard_r: there are some. */
bool store_look_oldest(struct db *db, gint64 *oldest_r, bool *heard_r, GError **error);

/* Inside a transaction, deferred: forgets a person who is being removed. */
bool store_look_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *person, GError **error);

#endif
