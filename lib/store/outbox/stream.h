/* SPDX-License-Identifier: MIT */
/* The streams of a workspace (store/email/stream.h): whether each is paused, and its pace. Errors
   that a function does not name are those of db/statement.h. */
#ifndef STORE_OUTBOX_STREAM_H
#define STORE_OUTBOX_STREAM_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/email/stream.h"

struct db;

/* A stream of a workspace. Times are epoch ms. */
struct store_stream_row {
	guint stream; /* enum store_stream */
	bool paused;
	gint64 per_hour; /* recipients in a clock hour (UTC), 0: any number */
	char *reason;	 /* as it was given; NULL: none */
	gint64 changed;	 /* 0: never */
	gint64 waiting;	 /* messages that have not left; counted to LIMIT_QUEUE_COUNTED for each of
			    broadcasts and other mail */
};

void store_stream_row_free(struct store_stream_row *row);
DEFINE_AUTO(store_stream_row, store_stream_row_free)

/* The streams of a workspace, in the order of enum store_stream, as an array of struct
   store_stream_row. The caller owns it. */
GPtrArray *store_stream_list(struct db *db, const struct base_id *workspace, GError **error);

/* The things to change; NULL: they stay. */
struct store_stream_change {
	const bool *paused;
	const gint64 *per_hour;
	bool has_reason;
	const char *reason; /* if has_reason; NULL: none */
};

/* Changes a stream. A stream that is paused or resumed without a reason has none. Then makes those
   messages due that waited for it, in batches. */
bool store_stream_change(struct db *db, const struct base_id *workspace, enum store_stream stream,
    const struct store_stream_change *change, gint64 now, GError **error);

/* The reasons of messages that wait for a stream, in struct store_outbox_end. */
char *store_stream_paused_reason(enum store_stream stream);
char *store_stream_paced_reason(enum store_stream stream, gint64 per_hour);

/* A stream, as a claim has locked it. */
struct store_stream_state {
	bool paused;
	gint64 per_hour;
	gint64 hour;   /* since 1970, that is counted */
	gint64 used;   /* recipients of that hour */
	gint64 booked; /* the time (epoch ms) of the last turn of those that wait */
};

/* Inside a transaction: reads and locks a stream. Without a row it is neither paused nor paced. */
bool store_stream_lock(struct db *db, const struct base_id *workspace, enum store_stream stream,
    struct store_stream_state *state_r, GError **error);

/* Inside that transaction: stores hour, used and booked. It is deferred. */
bool store_stream_count(struct db *db, const struct base_id *workspace, enum store_stream stream,
    const struct store_stream_state *state, GError **error);

/* Gives back recipients that were counted in an hour and were not tried. */
bool store_stream_return(struct db *db, const struct base_id *workspace, enum store_stream stream,
    gint64 hour, gint64 recipients, GError **error);

#endif
