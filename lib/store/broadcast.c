/* SPDX-License-Identifier: MIT */
/* Stores, reads and lists broadcasts, and changes their states. */
#include "store/broadcast.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "store/listing.h"

#define COUNT(column)                                                                              \
	"(SELECT SUM(c." column ") FROM broadcast_counter c WHERE c.broadcast_id = b.id)"
#define COLUMNS                                                                                    \
	"b.id, b.status, b.pause_reason, b.error, b.winner, b.scheduled_at,"                       \
	" b.local_time, b.time_zone, b.spread, b.started_at, b.completed_at, b.created,"           \
	" b.updated, " COUNT("recipients") ", " COUNT("excluded") ", " COUNT("sent") ", " COUNT(   \
	    "skipped") ", " COUNT("failed") ", " COUNT("cancelled")
#define FROM_ID " FROM broadcast b WHERE b.workspace_id = ? AND b.id = ?"
#define OF_ID " WHERE workspace_id = ? AND id = ?"

enum {
	CREATE,
	GET,
	LOCK,
	LIST,
	WRITE,
	SCHEDULE,
	UNSCHEDULE,
	PAUSE,
	RESUME,
	CANCEL,
	DECIDE,
	REMOVE,
	REMOVE_COUNTERS
};
/* status: see enum store_broadcast_status. */
static const char *const sql[] = {
    [CREATE] = "INSERT INTO broadcast (id, workspace_id, content, brief, status, created, updated)"
	       " VALUES (?, ?, ?, ?, 1, ?, ?)",
    [GET] = "SELECT " COLUMNS ", b.content" FROM_ID,
    [LOCK] = "SELECT " COLUMNS ", b.content" FROM_ID " FOR UPDATE",
    [LIST] = "SELECT " COLUMNS ", b.brief FROM broadcast b FORCE INDEX (newest)"
	     " WHERE b.workspace_id = ? AND b.id < ? ORDER BY b.id DESC LIMIT ?",
    [WRITE] = "UPDATE broadcast SET updated = ?, content = ?, brief = ?" OF_ID,
    [SCHEDULE] = "UPDATE broadcast SET updated = ?, status = 2, scheduled_at = ?, local_time = ?,"
		 " time_zone = ?, spread = ?, due = ?" OF_ID,
    [UNSCHEDULE] = "UPDATE broadcast SET updated = ?, status = 1, scheduled_at = NULL,"
		   " local_time = NULL, time_zone = NULL, spread = 0, due = NULL" OF_ID,
    [PAUSE] = "UPDATE broadcast SET updated = ?, is_testing = (status = 4), status = 5,"
	      " pause_reason = ?, due = NULL" OF_ID,
    [RESUME] = "UPDATE broadcast SET updated = ?, status = IF(is_testing, 4, 3),"
	       " pause_reason = NULL, due = updated" OF_ID,
    [CANCEL] = "UPDATE broadcast SET updated = ?, status = 7, pause_reason = NULL,"
	       " completed_at = updated, due = updated" OF_ID,
    [DECIDE] = "UPDATE broadcast SET updated = ?, status = 3, winner = ?, due = updated" OF_ID,
    [REMOVE] = "DELETE FROM broadcast" OF_ID,
    [REMOVE_COUNTERS] = "DELETE FROM broadcast_counter WHERE broadcast_id = ? AND workspace_id = ?",
};

/* The columns of COLUMNS, and the one that follows. */
enum {
	C_ID,
	C_STATUS,
	C_PAUSE,
	C_ERROR,
	C_WINNER,
	C_SCHEDULED_AT,
	C_LOCAL_TIME,
	C_TIME_ZONE,
	C_SPREAD,
	C_STARTED_AT,
	C_COMPLETED_AT,
	C_CREATED,
	C_UPDATED,
	C_RECIPIENTS,
	C_EXCLUDED,
	C_SENT,
	C_SKIPPED,
	C_FAILED,
	C_CANCELLED,
	C_CONTENT
};

const char *
store_broadcast_status_name(enum store_broadcast_status status)
{
	static const char *const names[] = {[BROADCAST_DRAFT] = "draft",
	    [BROADCAST_SCHEDULED] = "scheduled",
	    [BROADCAST_SENDING] = "sending",
	    [BROADCAST_TESTING] = "testing",
	    [BROADCAST_PAUSED] = "paused",
	    [BROADCAST_SENT] = "sent",
	    [BROADCAST_CANCELLED] = "cancelled",
	    [BROADCAST_FAILED] = "failed"};

	return names[status];
}

const char *
store_broadcast_pause_name(enum store_broadcast_pause pause)
{
	static const char *const names[] = {[BROADCAST_PAUSED_BY_HAND] = "manual",
	    [BROADCAST_PAUSED_BOUNCES] = "bounces",
	    [BROADCAST_PAUSED_COMPLAINTS] = "complaints"};

	return names[pause];
}

void
store_broadcast_free(struct store_broadcast *broadcast)
{
	g_free(broadcast->content);
	g_free(broadcast->error);
	g_free(broadcast->local_time);
	g_free(broadcast->time_zone);
	g_free(broadcast);
}

static void
free_broadcast(void *broadcast)
{
	store_broadcast_free(broadcast);
}

bool
store_broadcast_create(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const char *content, const char *brief, GError **error)
{
	gint64 now = base_clock_now();

	return db_run(db, sql[CREATE],
	    DB_VALUES(db_id(id), db_id(workspace), db_text(content), db_text(brief), db_int(now),
		db_int(now)),
	    NULL, error);
}

static void *
read_row(struct db_rows *rows, const struct base_id *workspace)
{
	struct store_broadcast *b = g_new0(struct store_broadcast, 1);

	b->workspace_id = *workspace;
	db_rows_id(rows, C_ID, &b->id);
	b->content = g_strdup(db_rows_text(rows, C_CONTENT));
	b->status = (enum store_broadcast_status)db_rows_int(rows, C_STATUS);
	b->pause = (enum store_broadcast_pause)db_rows_int(rows, C_PAUSE);
	b->error = g_strdup(db_rows_text(rows, C_ERROR));
	b->winner = db_rows_is_null(rows, C_WINNER) ? -1 : (int)db_rows_int(rows, C_WINNER);
	b->scheduled_at = db_rows_int(rows, C_SCHEDULED_AT);
	b->local_time = g_strdup(db_rows_text(rows, C_LOCAL_TIME));
	b->time_zone = g_strdup(db_rows_text(rows, C_TIME_ZONE));
	b->spread = db_rows_int(rows, C_SPREAD);
	b->started_at = db_rows_int(rows, C_STARTED_AT);
	b->completed_at = db_rows_int(rows, C_COMPLETED_AT);
	b->created = db_rows_int(rows, C_CREATED);
	b->updated = db_rows_int(rows, C_UPDATED);
	b->counts = (struct store_broadcast_counts){db_rows_int(rows, C_RECIPIENTS),
	    db_rows_int(rows, C_EXCLUDED), db_rows_int(rows, C_SENT), db_rows_int(rows, C_SKIPPED),
	    db_rows_int(rows, C_FAILED), db_rows_int(rows, C_CANCELLED)};
	return b;
}

static struct store_broadcast *
read_one(struct db *db, const char *statement, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, statement, DB_VALUES(db_id(workspace), db_id(id)), error);

	if (rows && db_rows_next(rows))
		return read_row(rows, workspace);
	if (rows)
		base_fail(error, PH_ERROR_NOT_FOUND, "Broadcast not found");
	return NULL;
}

struct store_broadcast *
store_broadcast_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return read_one(db, sql[GET], workspace, id, error);
}

GPtrArray *
store_broadcast_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(
	    db, sql[LIST], workspace, before, limit, read_row, free_broadcast, error);
}

struct store_broadcast *
store_broadcast_lock(struct db *db, const struct base_id *workspace, const struct base_id *id,
    unsigned allowed, GError **error)
{
	AUTO(store_broadcast) broadcast = read_one(db, sql[LOCK], workspace, id, error);

	if (!broadcast || (allowed & BROADCAST_BIT(broadcast->status)))
		return g_steal_pointer(&broadcast);
	g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT, "Broadcast is %s",
	    store_broadcast_status_name(broadcast->status));
	return NULL;
}

bool
store_broadcast_write(struct db *db, const struct store_broadcast *b, const char *content,
    const char *brief, GError **error)
{
	return db_run(db, sql[WRITE],
	    DB_VALUES(db_int(base_clock_now()), db_text(content), db_text(brief),
		db_id(&b->workspace_id), db_id(&b->id)),
	    NULL, error);
}

bool
store_broadcast_schedule(struct db *db, const struct store_broadcast *b,
    const struct store_broadcast_plan *plan, GError **error)
{
	return db_run(db, sql[SCHEDULE],
	    DB_VALUES(db_int(base_clock_now()), db_int_or_null(plan->scheduled_at),
		db_text(plan->local_time), db_text(plan->time_zone), db_int(plan->spread),
		db_int(plan->due), db_id(&b->workspace_id), db_id(&b->id)),
	    NULL, error);
}

/* Runs a statement whose only value, besides the broadcast, is the time. */
static bool
move(struct db *db, const char *statement, const struct store_broadcast *b, GError **error)
{
	return db_run(db, statement,
	    DB_VALUES(db_int(base_clock_now()), db_id(&b->workspace_id), db_id(&b->id)), NULL,
	    error);
}

/* The same, with a number. */
static bool
move_by(struct db *db, const char *statement, const struct store_broadcast *b, int number,
    GError **error)
{
	return db_run(db, statement,
	    DB_VALUES(
		db_int(base_clock_now()), db_int(number), db_id(&b->workspace_id), db_id(&b->id)),
	    NULL, error);
}

bool
store_broadcast_unschedule(struct db *db, const struct store_broadcast *b, GError **error)
{
	return move(db, sql[UNSCHEDULE], b, error);
}

bool
store_broadcast_pause(struct db *db, const struct store_broadcast *b,
    enum store_broadcast_pause reason, GError **error)
{
	return move_by(db, sql[PAUSE], b, (int)reason, error);
}

bool
store_broadcast_resume(struct db *db, const struct store_broadcast *b, GError **error)
{
	return move(db, sql[RESUME], b, error);
}

bool
store_broadcast_cancel(struct db *db, const struct store_broadcast *b, GError **error)
{
	return move(db, sql[CANCEL], b, error);
}

bool
store_broadcast_decide(struct db *db, const struct store_broadcast *b, int winner, GError **error)
{
	return move_by(db, sql[DECIDE], b, winner, error);
}

bool
store_broadcast_remove(struct db *db, const struct store_broadcast *b, GError **error)
{
	return db_run(db, sql[REMOVE], DB_VALUES(db_id(&b->workspace_id), db_id(&b->id)), NULL,
		   error) &&
	       db_run(db, sql[REMOVE_COUNTERS], DB_VALUES(db_id(&b->id), db_id(&b->workspace_id)),
		   NULL, error);
}
