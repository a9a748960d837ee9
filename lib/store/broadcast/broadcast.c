/* SPDX-License-Identifier: MIT */
/* Stores, reads and lists broadcasts, and changes their states. */
#include "store/broadcast/broadcast.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "store/broadcast/attachment.h"
#include "store/common/listing.h"

#define COUNT(column)                                                                              \
	"(SELECT SUM(c." column ") FROM broadcast_counter c WHERE c.broadcast_id = b.id)"
#define BROADCAST_COLUMNS(FIRST, NEXT)                                                             \
	FIRST(id, "b.id")                                                                          \
	NEXT(status, "b.status")                                                                   \
	NEXT(pause, "b.pause_reason")                                                              \
	NEXT(error, "b.error")                                                                     \
	NEXT(winner, "COALESCE(b.winner, -1)")                                                     \
	NEXT(scheduled_at, "b.scheduled_at")                                                       \
	NEXT(local_time, "b.local_time")                                                           \
	NEXT(time_zone, "b.time_zone")                                                             \
	NEXT(spread, "b.spread")                                                                   \
	NEXT(started_at, "b.started_at")                                                           \
	NEXT(completed_at, "b.completed_at")                                                       \
	NEXT(created, "b.created")                                                                 \
	NEXT(updated, "b.updated")                                                                 \
	NEXT(topic_id, "b.topic_id", has_topic)                                                    \
	NEXT(is_complete, "b.is_complete")                                                         \
	NEXT(place, "b.place")                                                                     \
	NEXT(decide_at, "b.decide_at")                                                             \
	NEXT(compat_tests, "b.of_resend")                                                          \
	NEXT(lacks_link, "b.lacks_link")                                                           \
	NEXT(counts.recipients, COUNT("recipients"))                                               \
	NEXT(counts.excluded, COUNT("excluded"))                                                   \
	NEXT(counts.sent, COUNT("sent"))                                                           \
	NEXT(counts.skipped, COUNT("skipped"))                                                     \
	NEXT(counts.failed, COUNT("failed"))                                                       \
	NEXT(counts.cancelled, COUNT("cancelled"))                                                 \
	NEXT(counts.taken, COUNT("taken"))
#define COLUMNS DB_COLUMNS_SQL(BROADCAST_COLUMNS)
#define FROM_ID                                                                                    \
	" FROM broadcast b WHERE b.workspace_id = ? AND b.id = ? AND b.status "                    \
	"<> " BROADCAST_REMOVED_SQL
#define OF_ID " WHERE workspace_id = ? AND id = ?"
#define BEFORE(column)                                                                             \
	"COALESCE((SELECT SUM(c." column ") FROM broadcast_counter c"                              \
	" WHERE c.broadcast_id = broadcast.id), 0)"

enum {
	CREATE,
	GET,
	LOCK,
	WRITE,
	SCHEDULE,
	UNSCHEDULE,
	PAUSE,
	RESUME,
	CANCEL,
	DECIDE,
	REMOVE,
	SWEEP,
	REMOVE_COUNTERS,
	REMOVE_AUDIENCES,
	REMOVE_MODELS,
	REMOVE_PARTS,
	REMOVE_RECIPIENTS,
	ADD_AUDIENCE,
	ADD_MODEL,
	DUE,
	IS_DUE,
	BEGIN,
	RULES,
	FAIL,
	ADVANCE,
	AWAIT,
	FINISH,
	TEST,
	HASTEN,
	HOLD_PAUSE,
	WARN,
	MISSING
};
#define SWEPT "5000" /* rows at once */
/* Each change has another time, so that it tells versions apart (store/common/edit.h). */
#define CHANGE "UPDATE broadcast SET updated = GREATEST(?, updated + 1)"
#define OF_BROADCAST " WHERE broadcast_id = ? AND workspace_id = ?"
/* status: see enum store_broadcast_status. */
/* System-wide: DUE, IS_DUE. The spool sends the broadcasts of all workspaces. */
static const char *const sql[] = {
    [CREATE] =
	"INSERT INTO broadcast (id, workspace_id, content, brief, of_resend, status, created,"
	" updated) VALUES (?, ?, ?, ?, ?, " BROADCAST_DRAFT_SQL ", ?, ?)",
    [GET] = "SELECT " COLUMNS ", b.content" FROM_ID,
    [LOCK] = "SELECT " COLUMNS ", b.content" FROM_ID " FOR UPDATE",
    [WRITE] = CHANGE ", content = ?, brief = ?" OF_ID,
    [SCHEDULE] = CHANGE ", status = " BROADCAST_SCHEDULED_SQL ", scheduled_at = ?, local_time = ?,"
			" time_zone = ?, spread = ?, due = ?, topic_id = ?" OF_ID,
    [UNSCHEDULE] = CHANGE ", status = " BROADCAST_DRAFT_SQL ", scheduled_at = NULL,"
			  " local_time = NULL, time_zone = NULL, spread = 0, due = NULL" OF_ID,
    [PAUSE] = CHANGE ", is_testing = (status = " BROADCAST_TESTING_SQL
		     "), status = " BROADCAST_PAUSED_SQL ","
		     " pause_reason = ?, due = NULL" OF_ID,
    [RESUME] =
	CHANGE ", status = IF(is_testing, " BROADCAST_TESTING_SQL ", " BROADCAST_SENDING_SQL "),"
	       " pause_reason = NULL, due = updated, resumed_at = updated,"
	       " tried_before = " BEFORE("tried") ", bounced_before = " BEFORE(
		   "bounced") ", complained_before = " BEFORE("complained") OF_ID,
    [CANCEL] = CHANGE ", status = " BROADCAST_CANCELLED_SQL ", pause_reason = NULL,"
		      " completed_at = updated, due = NULL" OF_ID,
    [DECIDE] = CHANGE ", status = " BROADCAST_SENDING_SQL ", winner = ?, due = updated" OF_ID,
    [REMOVE] = CHANGE ", status = " BROADCAST_REMOVED_SQL ", due = updated" OF_ID,
    [SWEEP] = "DELETE FROM broadcast" OF_ID,
    [REMOVE_COUNTERS] = "DELETE FROM broadcast_counter" OF_BROADCAST,
    [REMOVE_AUDIENCES] = "DELETE FROM broadcast_audience" OF_BROADCAST,
    [REMOVE_MODELS] = "DELETE FROM broadcast_model" OF_BROADCAST,
    [REMOVE_PARTS] = "DELETE FROM broadcast_part" OF_BROADCAST " LIMIT " SWEPT,
    [REMOVE_RECIPIENTS] = "DELETE FROM broadcast_recipient" OF_BROADCAST " LIMIT " SWEPT,
    [ADD_AUDIENCE] = "INSERT INTO broadcast_audience (broadcast_id, audience_id, workspace_id)"
		     " VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE workspace_id = workspace_id",
    [ADD_MODEL] = "INSERT INTO broadcast_model (broadcast_id, variant, workspace_id, email_id)"
		  " VALUES (?, ?, ?, ?)",
    [DUE] = "SELECT " COLUMNS ", b.content, b.workspace_id FROM broadcast b FORCE INDEX (due)"
	    " WHERE b.due <= ? ORDER BY b.due LIMIT 1 FOR UPDATE SKIP LOCKED",
    [IS_DUE] = "SELECT EXISTS (SELECT 1 FROM broadcast WHERE due <= ?)",
    [BEGIN] = CHANGE ", status = " BROADCAST_SENDING_SQL ", started_at = updated,"
		     " due = updated, rules = ?" OF_ID,
    [RULES] = "SELECT rules FROM broadcast" OF_ID,
    [FAIL] = CHANGE ", status = " BROADCAST_FAILED_SQL ", error = ?, completed_at = updated,"
		    " due = NULL" OF_ID,
    [ADVANCE] = "UPDATE broadcast SET place = ?, is_complete = ?,"
		" rules = IF(is_complete, NULL, rules)" OF_ID,
    [AWAIT] = "UPDATE broadcast SET due = ?" OF_ID,
    [FINISH] = CHANGE ", status = " BROADCAST_SENT_SQL ", completed_at = updated,"
		      " due = NULL" OF_ID,
    [TEST] = CHANGE ", status = " BROADCAST_TESTING_SQL ", decide_at = ?, due = ?" OF_ID,
    /* Messages that wait because the broadcast is paused; all that wait, if it is over. */
    [HASTEN] = "UPDATE broadcast_part t STRAIGHT_JOIN outbox o ON o.email_id = t.email_id"
	       " SET o.ready_at = ?, o.turn_at = ? WHERE t.broadcast_id = ? AND t.workspace_id = ?"
	       " AND o.owner IS NULL AND o.ready_at IS NOT NULL AND (? OR o.reason = ?)",
    [HOLD_PAUSE] =
	"SELECT status = " BROADCAST_PAUSED_SQL " FROM broadcast" OF_ID " LOCK IN SHARE MODE",
    [WARN] = "UPDATE broadcast SET lacks_link = 1" OF_ID " AND lacks_link = 0",
    [MISSING] = "SELECT ? IS NOT NULL AND NOT EXISTS (SELECT 1 FROM topic WHERE id = ?"
		" AND workspace_id = ?), EXISTS (SELECT 1 FROM broadcast_audience l"
		" LEFT JOIN audience a ON a.id = l.audience_id AND a.workspace_id = l.workspace_id"
		" WHERE l.broadcast_id = ? AND l.workspace_id = ? AND a.id IS NULL),"
		" EXISTS (SELECT 1 FROM broadcast_model m JOIN email e ON e.id = m.email_id"
		" AND e.workspace_id = m.workspace_id"
		" LEFT JOIN template t ON t.workspace_id = m.workspace_id"
		" AND t.id = e.template_id COLLATE ascii_nopad_bin"
		" WHERE m.broadcast_id = ? AND m.workspace_id = ? AND e.template_id IS NOT NULL"
		" AND t.id IS NULL), NOT EXISTS (SELECT 1 FROM broadcast_model m"
		" JOIN email e ON e.id = m.email_id AND e.workspace_id = m.workspace_id"
		" JOIN domain d ON d.id = e.domain_id"
		" AND d.workspace_id = m.workspace_id WHERE m.broadcast_id = ?"
		" AND m.workspace_id = ?)",
};

/* Behind COLUMNS. */
enum { C_CONTENT = DB_COLUMNS_END(BROADCAST_COLUMNS), C_WORKSPACE };

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

bool
store_broadcast_create(
    struct db *db, const struct store_broadcast_creation *creation, GError **error)
{
	gint64 now = base_clock_now();

	return db_run(db, sql[CREATE],
	    DB_VALUES(db_id(creation->id), db_id(creation->workspace), db_text(creation->content),
		db_text(creation->brief), db_int(creation->compat_tests), db_int(now), db_int(now)),
	    NULL, error);
}

STORE_LISTING_READER(broadcast_read_own, struct store_broadcast, BROADCAST_COLUMNS)

static void *
broadcast_read_row(struct db_rows *rows, const struct base_id *workspace)
{
	struct store_broadcast *b = broadcast_read_own(rows, workspace);

	b->content = g_strdup(db_rows_text(rows, C_CONTENT));
	if (b->status == BROADCAST_CANCELLED)
		b->counts.cancelled += b->counts.recipients - b->counts.taken;
	return b;
}

static struct store_broadcast *
broadcast_read_one(struct db *db, const char *statement, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, statement, DB_VALUES(db_id(workspace), db_id(id)), error);

	if (rows && db_rows_next(rows))
		return broadcast_read_row(rows, workspace);
	if (rows)
		base_fail(error, PH_ERROR_NOT_FOUND, "Broadcast not found");
	return NULL;
}

struct store_broadcast *
store_broadcast_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return broadcast_read_one(db, sql[GET], workspace, id, error);
}

STORE_LISTING(listing, broadcast_read_row, store_broadcast_destroy,
    "SELECT " COLUMNS ", b.brief FROM broadcast b FORCE INDEX (newest)"
    " WHERE b.workspace_id = ? AND b.status <> " BROADCAST_REMOVED_SQL,
    "b.id");

GPtrArray *
store_broadcast_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

GPtrArray *
store_broadcast_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &listing, workspace, page, error);
}

struct store_broadcast *
store_broadcast_lock(struct db *db, const struct base_id *workspace, const struct base_id *id,
    unsigned allowed, GError **error)
{
	AUTO(store_broadcast) broadcast = broadcast_read_one(db, sql[LOCK], workspace, id, error);

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

static bool
add_audiences(struct db *db, const struct store_broadcast *b,
    const struct store_broadcast_plan *plan, GError **error)
{
	for (guint i = 0; i < plan->audience_count; i++)
		if (!db_defer_row(db, sql[ADD_AUDIENCE],
			DB_VALUES(
			    db_id(&b->id), db_id(&plan->audiences[i]), db_id(&b->workspace_id)),
			error))
			return false;
	return true;
}

static bool
add_models(struct db *db, const struct store_broadcast *b, const struct store_broadcast_plan *plan,
    GError **error)
{
	for (guint i = 0; i < plan->model_count; i++)
		if (!db_defer_row(db, sql[ADD_MODEL],
			DB_VALUES(db_id(&b->id), db_int(i), db_id(&b->workspace_id),
			    db_id(&plan->models[i])),
			error))
			return false;
	return true;
}

bool
store_broadcast_schedule(struct db *db, const struct store_broadcast *b,
    const struct store_broadcast_plan *plan, GError **error)
{
	return db_run(db, sql[SCHEDULE],
		   DB_VALUES(db_int(base_clock_now()), db_int_or_null(plan->scheduled_at),
		       db_text(plan->local_time), db_text(plan->time_zone), db_int(plan->spread),
		       db_int(plan->due), db_id(plan->topic), db_id(&b->workspace_id),
		       db_id(&b->id)),
		   NULL, error) &&
	       add_audiences(db, b, plan, error) && add_models(db, b, plan, error);
}

/* Runs a statement whose only value, besides the broadcast, is the time. */
static bool
broadcast_move(
    struct db *db, const char *statement, const struct store_broadcast *b, GError **error)
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

static bool
run_each(struct db *db, const struct store_broadcast *b, int from, int to, GError **error)
{
	for (int i = from; i <= to; i++)
		if (!db_run(
			db, sql[i], DB_VALUES(db_id(&b->id), db_id(&b->workspace_id)), NULL, error))
			return false;
	return true;
}

bool
store_broadcast_unschedule(struct db *db, const struct store_broadcast *b, GError **error)
{
	return broadcast_move(db, sql[UNSCHEDULE], b, error) &&
	       run_each(db, b, REMOVE_AUDIENCES, REMOVE_MODELS, error);
}

bool
store_broadcast_pause(struct db *db, const struct store_broadcast *b,
    enum store_broadcast_pause reason, GError **error)
{
	return move_by(db, sql[PAUSE], b, (int)reason, error);
}

static bool
hasten(struct db *db, const struct store_broadcast *b, bool all, GError **error)
{
	const struct db_value now = db_int(base_clock_now());

	return db_run(db, sql[HASTEN],
	    DB_VALUES(now, now, db_id(&b->id), db_id(&b->workspace_id), db_int(all),
		db_text(STORE_BROADCAST_PAUSED)),
	    NULL, error);
}

bool
store_broadcast_resume(struct db *db, const struct store_broadcast *b, GError **error)
{
	return broadcast_move(db, sql[RESUME], b, error) && hasten(db, b, false, error);
}

bool
store_broadcast_cancel(struct db *db, const struct store_broadcast *b, GError **error)
{
	return broadcast_move(db, sql[CANCEL], b, error) &&
	       run_each(db, b, REMOVE_MODELS, REMOVE_MODELS, error) && hasten(db, b, true, error);
}

bool
store_broadcast_decide(struct db *db, const struct store_broadcast *b, int winner, GError **error)
{
	return move_by(db, sql[DECIDE], b, winner, error);
}

bool
store_broadcast_remove(struct db *db, const struct store_broadcast *b, GError **error)
{
	return broadcast_move(db, sql[REMOVE], b, error);
}

bool
store_broadcast_sweep(struct db *db, const struct store_broadcast *b, GError **error)
{
	const struct db_value of[] = {db_id(&b->id), db_id(&b->workspace_id)};
	guint64 recipients, parts;

	if (!db_run(db, sql[REMOVE_RECIPIENTS], of, G_N_ELEMENTS(of), &recipients, error) ||
	    !db_run(db, sql[REMOVE_PARTS], of, G_N_ELEMENTS(of), &parts, error))
		return false;
	if (recipients + parts > 0)
		return true;
	return run_each(db, b, REMOVE_COUNTERS, REMOVE_MODELS, error) &&
	       store_broadcast_attachments_put(db, &b->workspace_id, &b->id, NULL, error) &&
	       db_run(
		   db, sql[SWEEP], DB_VALUES(db_id(&b->workspace_id), db_id(&b->id)), NULL, error);
}

bool
store_broadcast_due(struct db *db, gint64 now, struct store_broadcast **broadcast_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[DUE], DB_VALUES(db_int(now)), error);
	struct base_id workspace;

	*broadcast_r = NULL;
	if (!rows)
		return false;
	if (db_rows_next(rows) && db_rows_id(rows, C_WORKSPACE, &workspace))
		*broadcast_r = broadcast_read_row(rows, &workspace);
	return true;
}

bool
store_broadcast_is_due(struct db *db, gint64 now, bool *is_due_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[IS_DUE], DB_VALUES(db_int(now)), error);

	if (!rows)
		return false;
	*is_due_r = db_rows_next(rows) && db_rows_int(rows, DB_ROWS_ONLY) != 0;
	return true;
}

bool
store_broadcast_begin(
    struct db *db, const struct store_broadcast *b, const char *rules, GError **error)
{
	return db_run(db, sql[BEGIN],
	    DB_VALUES(
		db_int(base_clock_now()), db_text(rules), db_id(&b->workspace_id), db_id(&b->id)),
	    NULL, error);
}

bool
store_broadcast_rules(
    struct db *db, const struct store_broadcast *b, char **rules_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[RULES], DB_VALUES(db_id(&b->workspace_id), db_id(&b->id)), error);

	if (!rows)
		return false;
	*rules_r = g_strdup(db_rows_next(rows) ? db_rows_text(rows, DB_ROWS_ONLY) : NULL);
	return true;
}

bool
store_broadcast_fail(
    struct db *db, const struct store_broadcast *b, const char *text, GError **error)
{
	return db_run(db, sql[FAIL],
		   DB_VALUES(db_int(base_clock_now()), db_text(text), db_id(&b->workspace_id),
		       db_id(&b->id)),
		   NULL, error) &&
	       run_each(db, b, REMOVE_AUDIENCES, REMOVE_MODELS, error);
}

bool
store_broadcast_advance(struct db *db, const struct store_broadcast *b, const struct base_id *place,
    bool is_complete, GError **error)
{
	return db_run(db, sql[ADVANCE],
	    DB_VALUES(db_id(place), db_int(is_complete), db_id(&b->workspace_id), db_id(&b->id)),
	    NULL, error);
}

bool
store_broadcast_await(struct db *db, const struct store_broadcast *b, gint64 due, GError **error)
{
	return db_run(db, sql[AWAIT],
	    DB_VALUES(db_int_or_null(due), db_id(&b->workspace_id), db_id(&b->id)), NULL, error);
}

bool
store_broadcast_finish(struct db *db, const struct store_broadcast *b, GError **error)
{
	return broadcast_move(db, sql[FINISH], b, error) &&
	       run_each(db, b, REMOVE_AUDIENCES, REMOVE_MODELS, error);
}

bool
store_broadcast_test(
    struct db *db, const struct store_broadcast *b, gint64 decide_at, GError **error)
{
	const struct db_value at = db_int_or_null(decide_at);

	return db_run(db, sql[TEST],
	    DB_VALUES(db_int(base_clock_now()), at, at, db_id(&b->workspace_id), db_id(&b->id)),
	    NULL, error);
}

/* The columns of MISSING. */
enum { MISSING_TOPIC, MISSING_AUDIENCE, MISSING_TEMPLATE, MISSING_DOMAIN };

bool
store_broadcast_check(
    struct db *db, const struct store_broadcast *b, const char **missing_r, GError **error)
{
	const struct db_value topic = db_id(b->has_topic ? &b->topic_id : NULL), id = db_id(&b->id),
			      workspace = db_id(&b->workspace_id);
	AUTO(db_rows)
	rows = db_select(db, sql[MISSING],
	    DB_VALUES(topic, topic, workspace, id, workspace, id, workspace, id, workspace), error);

	if (!rows)
		return false;
	*missing_r = !db_rows_next(rows)		   ? NULL
		     : db_rows_int(rows, MISSING_TOPIC)	   ? "topic"
		     : db_rows_int(rows, MISSING_AUDIENCE) ? "audience"
		     : db_rows_int(rows, MISSING_TEMPLATE) ? "template"
		     : db_rows_int(rows, MISSING_DOMAIN)   ? "domain"
							   : NULL;
	return true;
}

bool
store_broadcast_hold_pause(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool *is_paused_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[HOLD_PAUSE], DB_VALUES(db_id(workspace), db_id(id)), error);

	if (!rows)
		return false;
	*is_paused_r = db_rows_next(rows) && db_rows_int(rows, DB_ROWS_ONLY) != 0;
	return true;
}

bool
store_broadcast_warn(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool *is_first_r, GError **error)
{
	guint64 changed = 0;
	bool done = db_run(db, sql[WARN], DB_VALUES(db_id(workspace), db_id(id)), &changed, error);

	*is_first_r = changed > 0;
	return done;
}
