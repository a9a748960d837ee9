/* SPDX-License-Identifier: MIT */
/* Reads and changes the streams of a workspace, and counts the recipients of an hour.

   A message whose stream is paused, or has no recipients left for the hour, gets its reason and a
   later ready_at in the transaction that locked the row of its stream. A change locks the same row,
   and then makes all messages with such a reason due. So none is left behind:
   1. A claim that locked the row first has stored its messages when the change goes on, and they
      are found.
   2. A claim that locks it afterwards sees the change. */
#include "store/outbox/stream.h"

#include "base/limits/list.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/email/email.h"

#define RELEASE_ROWS "10000" /* one statement makes so many messages due */

#define LANE(lane)                                                                                 \
	"(SELECT email_id, workspace_id FROM outbox FORCE INDEX (turn) WHERE workspace_id = ?"     \
	" AND is_bulk = " lane " AND turn_at IS NOT NULL ORDER BY turn_at LIMIT ?)"

enum { LIST, WAITING, MAKE, LOCK, CHANGE, LIMITS, RELEASE, COUNT, RETURN };
static const char *const sql[] = {
    [LIST] = "SELECT stream, paused, per_hour, reason, changed FROM stream WHERE workspace_id = ?",
    [WAITING] = "SELECT " STORE_EMAIL_STREAM("e") ", COUNT(*) FROM (" LANE("0") " UNION ALL " LANE(
	"1") ") page STRAIGHT_JOIN email e FORCE INDEX (PRIMARY) ON e.id = page.email_id"
	     " AND e.workspace_id = page.workspace_id GROUP BY 1",
    [MAKE] = "INSERT IGNORE INTO stream (workspace_id, stream, paused, per_hour, changed)"
	     " VALUES (?, ?, 0, 0, ?)",
    [LOCK] = "SELECT paused, per_hour, hour, used, booked FROM stream"
	     " WHERE workspace_id = ? AND stream = ? FOR UPDATE",
    [CHANGE] = "UPDATE stream SET reason = IF(?, ?, IF(COALESCE(?, paused) <> paused, NULL,"
	       " reason)), paused = COALESCE(?, paused), per_hour = COALESCE(?, per_hour),"
	       " booked = 0, changed = ? WHERE workspace_id = ? AND stream = ?",
    [LIMITS] = "UPDATE workspace SET stream_limits = (SELECT COALESCE(BIT_OR(1 << s.stream), 0)"
	       " FROM stream s WHERE s.workspace_id = ?"
	       " AND (s.paused = 1 OR s.per_hour > 0)) WHERE id = ?",
    [RELEASE] = "UPDATE outbox FORCE INDEX (turn) SET ready_at = ?, turn_at = ready_at, since = ?,"
		" reason = NULL WHERE workspace_id = ? AND is_bulk = ? AND turn_at > ?"
		" AND owner IS NULL AND (reason = ? OR reason LIKE ?) LIMIT " RELEASE_ROWS,
    [COUNT] = "UPDATE stream SET hour = ?, used = ?, booked = ?"
	      " WHERE workspace_id = ? AND stream = ?",
    [RETURN] = "UPDATE stream SET used = GREATEST(used - ?, 0)"
	       " WHERE workspace_id = ? AND stream = ? AND hour = ?",
};

/* The columns of LIST. */
enum { LIST_STREAM, LIST_PAUSED, LIST_PER_HOUR, LIST_REASON, LIST_CHANGED };

/* The columns of WAITING. */
enum { WAITING_STREAM, WAITING_COUNT };

#define STATE_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(paused, "paused")                                                                    \
	NEXT(per_hour, "per_hour")                                                                 \
	NEXT(hour, "hour")                                                                         \
	NEXT(used, "used")                                                                         \
	NEXT(booked, "booked")
DB_COLUMNS_READER(stream_read_state, struct store_stream_state, STATE_COLUMNS)

char *
store_stream_paused_reason(enum store_stream stream)
{
	return g_strdup_printf("paused: the stream %s is paused", store_stream_name(stream));
}

char *
store_stream_paced_reason(enum store_stream stream, gint64 per_hour)
{
	return g_strdup_printf("paced: the stream %s sends at most %" G_GINT64_FORMAT " an hour",
	    store_stream_name(stream), per_hour);
}

void
store_stream_row_free(struct store_stream_row *row)
{
	g_free(row->reason);
	g_free(row);
}

static void
stream_row_destroy(void *row)
{
	store_stream_row_free(row);
}

static void
stream_read_rows(GPtrArray *streams, struct db_rows *settings, struct db_rows *waiting)
{
	while (db_rows_next(settings)) {
		struct store_stream_row *row =
		    streams->pdata[db_rows_int(settings, LIST_STREAM) - 1];

		row->paused = db_rows_int(settings, LIST_PAUSED) != 0;
		row->per_hour = db_rows_int(settings, LIST_PER_HOUR);
		row->reason = g_strdup(db_rows_text(settings, LIST_REASON));
		row->changed = db_rows_int(settings, LIST_CHANGED);
	}
	while (db_rows_next(waiting)) {
		struct store_stream_row *row =
		    streams->pdata[db_rows_int(waiting, WAITING_STREAM) - 1];

		row->waiting = db_rows_int(waiting, WAITING_COUNT);
	}
}

GPtrArray *
store_stream_list(struct db *db, const struct base_id *workspace, GError **error)
{
	const struct db_value id = db_id(workspace), most = db_int(LIMIT_QUEUE_COUNTED);
	const struct db_value waiting[] = {id, most, id, most};
	const struct db_query queries[] = {
	    {sql[LIST], &id, 1}, {sql[WAITING], waiting, G_N_ELEMENTS(waiting)}};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return NULL;
	GPtrArray *streams = g_ptr_array_new_with_free_func(stream_row_destroy);
	for (guint stream = 1; stream <= STORE_STREAMS; stream++) {
		struct store_stream_row *row = g_new0(struct store_stream_row, 1);

		row->stream = stream;
		g_ptr_array_add(streams, row);
	}
	stream_read_rows(streams, rows[0], rows[1]);
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return streams;
}

bool
store_stream_lock(struct db *db, const struct base_id *workspace, enum store_stream stream,
    struct store_stream_state *state_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LOCK], DB_VALUES(db_id(workspace), db_int(stream)), error);

	*state_r = (struct store_stream_state){.paused = false};
	if (rows && db_rows_next(rows))
		stream_read_state(rows, 0, state_r);
	return rows != NULL;
}

bool
store_stream_count(struct db *db, const struct base_id *workspace, enum store_stream stream,
    const struct store_stream_state *state, GError **error)
{
	return db_defer(db, sql[COUNT],
	    DB_VALUES(db_int(state->hour), db_int(state->used), db_int(state->booked),
		db_id(workspace), db_int(stream)),
	    1, error);
}

bool
store_stream_return(struct db *db, const struct base_id *workspace, enum store_stream stream,
    gint64 hour, gint64 recipients, GError **error)
{
	return db_run(db, sql[RETURN],
	    DB_VALUES(db_int(recipients), db_id(workspace), db_int(stream), db_int(hour)), NULL,
	    error);
}

/* A change of a stream. */
struct stream_changing {
	const struct base_id *workspace;
	enum store_stream stream;
	const struct store_stream_change *change;
	gint64 now;
};

static bool
stream_change_row(struct db *db, void *context, GError **error)
{
	const struct stream_changing *changing = context;
	const struct store_stream_change *change = changing->change;
	const struct db_value workspace = db_id(changing->workspace),
			      stream = db_int(changing->stream), now = db_int(changing->now);
	struct db_value paused = change->paused ? db_int(*change->paused) : db_null();
	struct db_value per_hour = change->per_hour ? db_int(*change->per_hour) : db_null();

	return db_run(db, sql[MAKE], DB_VALUES(workspace, stream, now), NULL, error) &&
	       db_run(db, sql[CHANGE],
		   DB_VALUES(db_int(change->has_reason), db_text(change->reason), paused, paused,
		       per_hour, now, workspace, stream),
		   NULL, error) &&
	       db_run(db, sql[LIMITS], DB_VALUES(workspace, workspace), NULL, error);
}

/* Makes the messages of a lane due that wait for the stream. One that still has to wait is put off
   again by the next claim. */
static bool
stream_release(struct db *db, const struct stream_changing *changing, bool is_bulk, GError **error)
{
	g_autofree char *paused = store_stream_paused_reason(changing->stream);
	g_autofree char *paced = g_strdup_printf(
	    "paced: the stream %s sends at most %%", store_stream_name(changing->stream));
	const struct db_value now = db_int(changing->now);
	guint64 released;

	do {
		if (!db_run(db, sql[RELEASE],
			DB_VALUES(now, now, db_id(changing->workspace), db_int(is_bulk), now,
			    db_text(paused), db_text(paced)),
			&released, error))
			return false;
	} while (released > 0);
	return true;
}

bool
store_stream_change(struct db *db, const struct base_id *workspace, enum store_stream stream,
    const struct store_stream_change *change, gint64 now, GError **error)
{
	struct stream_changing changing = {workspace, stream, change, now};

	return db_transact(db, stream_change_row, &changing, error) &&
	       stream_release(db, &changing, false, error) &&
	       stream_release(db, &changing, true, error);
}
