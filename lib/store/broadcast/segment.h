/* SPDX-License-Identifier: MIT */
/* Segments, and the people of frozen ones. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_BROADCAST_SEGMENT_H
#define STORE_BROADCAST_SEGMENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/common/listing.h"

struct db;

/* Stored as number. */
enum store_segment_state {
	SEGMENT_STANDS = 1,
	SEGMENT_FREEZING = 2, /* its people are being stored; nobody sees it yet */
	SEGMENT_REMOVED = 3,  /* its people are still to be removed; nobody sees it any more */
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define SEGMENT_STANDS_SQL "1"
#define SEGMENT_FREEZING_SQL "2"
#define SEGMENT_REMOVED_SQL "3"

struct store_segment {
	struct base_id id;
	struct base_id workspace_id;
	char *name;
	char *rules;	  /* JSON */
	gint64 frozen_at; /* epoch ms; 0: it is not frozen */
	gint64 people;	  /* of a frozen one: their number */
	gint64 created, updated;
};

void store_segment_free(struct store_segment *segment);
DEFINE_AUTO(store_segment, store_segment_free)

/* Sets NOT_FOUND "Segment not found" and returns false. */
bool store_segment_missing(GError **error);

/* Stores a new segment that has this state; sets id, created and updated. */
bool store_segment_create(
    struct db *db, struct store_segment *segment, enum store_segment_state state, GError **error);

/* NOT_FOUND. The caller frees it. */
struct store_segment *store_segment_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Inside a transaction: the same, locked until it ends. */
struct store_segment *store_segment_lock(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The id of the segment with this name. NOT_FOUND, INVALID as of store_listing_find. */
bool store_segment_find(struct db *db, const struct base_id *workspace, const char *name,
    struct base_id *id_r, GError **error);

/* A page of segments, newest first, at most limit, older than before (NULL: from the newest on), as
   an array of struct store_segment. The caller owns it. */
GPtrArray *store_segment_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* A page of segments, newest first, as an array of struct store_segment. The caller owns it. */
GPtrArray *store_segment_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

/* Inside a transaction that has locked the segment: stores name and rules, and sets updated to
   another time for each change. NOT_FOUND. */
bool store_segment_change(struct db *db, struct store_segment *segment, GError **error);

/* Removes a segment from view; store_segment_sweep frees its rows later. NOT_FOUND; CONFLICT
   "Segment is in use" while a broadcast names it that is scheduled, sending, testing or paused, or
   a start of a workflow that is not over. */
bool store_segment_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Adds people, one or more, to a segment that is being frozen. A person who has been removed is
   left out. */
bool store_segment_add(struct db *db, const struct store_segment *segment,
    const struct base_id *people, guint count, GError **error);

/* Ends the freezing: the segment stands, with frozen_at and the number of its people. */
bool store_segment_frozen(struct db *db, struct store_segment *segment, GError **error);

/* Inside a transaction that has locked the person: takes it out of all frozen segments. */
bool store_segment_leave(
    struct db *db, const struct base_id *workspace, const struct base_id *person, GError **error);

/* Frees some rows of a removed segment, or of one whose freezing was begun a day ago and has not
   ended. *more_r: there may be more. */
bool store_segment_sweep(struct db *db, bool *more_r, GError **error);

#endif
