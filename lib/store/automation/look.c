/* SPDX-License-Identifier: MIT */
/* Stores looks at people, and who is in the segments that are heard. */
#include "store/automation/look.h"

#include <string.h>

#include "base/array.h"
#include "db/statement.h"
#include "store/automation/heard.h"
#include "store/automation/own.h"
#include "store/broadcast/segment.h"

#define IS_LOOKED                                                                                  \
	"h.event_name IN ('segment.entered', 'segment.left', 'date.reached') "                     \
	"AND " STORE_HEARD_RUNS
#define NONE "X'00000000000000000000000000000000'"
#define FORGET_ROWS 20000
#define TELL                                                                                       \
	"INSERT INTO automation_feedback (event_id, workspace_id, contact_id, email_id, status,"   \
	" timestamp, due, name, properties, depth, target_id) SELECT ?, p.workspace_id, "          \
	"p.id, " NONE ", 0, ?, 0, ?, ?, 0, ? FROM person p FORCE INDEX (PRIMARY) WHERE p.id = ?"   \
	" AND p.workspace_id = ?"

enum {
	DUE,
	MAKE,
	LOCK,
	PUT,
	SEGMENTS,
	SEGMENT_PUT,
	STALE,
	FORGET_IN,
	FORGET,
	SETTLE,
	IS_MORE,
	STORED,
	UNCONFIRMED,
	UNCONFIRMED_BETWEEN,
	ENTER,
	LEAVE,
	TELL_ONE,
	DATES,
	DATE_ADD,
	DATE_FORGET,
	OLDEST,
	REMOVE_IN,
	REMOVE_DATES
};
/* System-wide: DUE, OLDEST. The spool looks at the people of all workspaces. */
/* By checked ids: STORED, FORGET_IN, LEAVE. The caller has the segment from its workspace. */
static const char *const sql[] = {
    [DUE] = "SELECT h.workspace_id FROM workflow_heard h LEFT JOIN workspace_look l"
	    " ON l.workspace_id = h.workspace_id WHERE " IS_LOOKED
	    " AND (l.workspace_id IS NULL OR (l.ended = 0 AND l.taken <= ?)"
	    " OR (l.ended > 0 AND l.next_at <= ?)) ORDER BY l.next_at LIMIT 1",
    [MAKE] = "INSERT IGNORE INTO workspace_look (workspace_id, began, ended, before_began, next_at,"
	     " place, taken) VALUES (?, 0, 1, 0, 0, " NONE ", 0)",
    [LOCK] = "SELECT began, ended, before_began, next_at, place, taken FROM workspace_look"
	     " WHERE workspace_id = ? FOR UPDATE",
    [PUT] = "UPDATE workspace_look SET began = ?, ended = ?, before_began = ?, next_at = ?,"
	    " place = ?, taken = ? WHERE workspace_id = ?",
    [SEGMENTS] = "SELECT h.segment_id, MIN(h.since), MAX(h.event_name = 'segment.entered'),"
		 " MAX(h.event_name = 'segment.left'), s.rules, s.settled, s.look"
		 " FROM workflow_heard h LEFT JOIN segment_look s"
		 " ON s.workspace_id = h.workspace_id AND s.segment_id = h.segment_id"
		 " WHERE h.workspace_id = ? AND h.event_name IN ('segment.entered', 'segment.left')"
		 " AND " STORE_HEARD_RUNS " GROUP BY h.segment_id",
    [SEGMENT_PUT] = "INSERT INTO segment_look (workspace_id, segment_id, rules, settled, look)"
		    " VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE rules = VALUES(rules),"
		    " settled = VALUES(settled), look = VALUES(look)",
    [STALE] = "SELECT segment_id FROM segment_look WHERE workspace_id = ? AND look <> ?",
    [FORGET_IN] = "DELETE FROM segment_in WHERE segment_id = ? ORDER BY person_id LIMIT ?",
    [FORGET] = "DELETE FROM segment_look WHERE workspace_id = ? AND segment_id = ?",
    [SETTLE] = "UPDATE segment_look SET settled = 1 WHERE workspace_id = ? AND look = ?"
	       " AND rules <> " NONE,
    [IS_MORE] = "SELECT 1 FROM workflow_heard h WHERE h.workspace_id = ?"
		" AND h.event_name IN ('segment.entered', 'segment.left') AND " STORE_HEARD_RUNS
		" AND NOT EXISTS (SELECT 1 FROM segment_look s WHERE s.workspace_id ="
		" h.workspace_id AND s.segment_id = h.segment_id AND s.look = ?)"
		" AND EXISTS (SELECT 1 FROM segment g WHERE g.id = h.segment_id AND g.state "
		"= " SEGMENT_STANDS_SQL ")"
		" LIMIT 1",
    [STORED] = "SELECT person_id FROM segment_in WHERE segment_id = ? AND person_id > ?"
	       " AND person_id <= ? ORDER BY person_id",
    [UNCONFIRMED] = "SELECT p.id FROM person p FORCE INDEX (PRIMARY) WHERE p.id IN (" DB_MARKS_50
		    ") AND p.workspace_id = ? AND " STORE_OWN_UNCONFIRMED " ORDER BY p.id",
    [UNCONFIRMED_BETWEEN] =
	"SELECT p.id FROM person p FORCE INDEX (cohort) WHERE p.workspace_id = ?"
	" AND p.id > ? AND p.id <= ? AND " STORE_OWN_UNCONFIRMED " ORDER BY p.id",
    [ENTER] = "INSERT IGNORE INTO segment_in (segment_id, person_id, workspace_id)"
	      " VALUES (?, ?, ?)",
    [LEAVE] = "DELETE FROM segment_in WHERE segment_id = ? AND person_id = ?",
    [TELL_ONE] = TELL,
    [DATES] = "SELECT h.workflow_id, w.active_version, h.since FROM workflow_heard h"
	      " JOIN workflow w ON w.id = h.workflow_id WHERE h.workspace_id = ?"
	      " AND h.event_name = 'date.reached' AND h.is_trigger = 1 AND w.deleted IS NULL"
	      " ORDER BY h.workflow_id",
    [DATE_ADD] = "INSERT IGNORE INTO workflow_date (workflow_id, person_id, day, workspace_id,"
		 " moment) VALUES (?, ?, ?, ?, ?)",
    [DATE_FORGET] = "DELETE FROM workflow_date WHERE workspace_id = ? AND moment < ?"
		    " ORDER BY moment LIMIT 5000",
    [OLDEST] = "SELECT MIN(COALESCE(NULLIF(l.began, 0), h.since)) FROM workflow_heard h"
	       " LEFT JOIN workspace_look l ON l.workspace_id = h.workspace_id WHERE " IS_LOOKED,
    [REMOVE_IN] = "DELETE i FROM segment_look s STRAIGHT_JOIN segment_in i"
		  " ON i.segment_id = s.segment_id AND i.person_id = ? WHERE s.workspace_id = ?",
    [REMOVE_DATES] = "DELETE d FROM workflow w FORCE INDEX (workspace) STRAIGHT_JOIN"
		     " workflow_date d ON d.workflow_id = w.id AND d.person_id = ?"
		     " WHERE w.workspace_id = ?",
};

/* The columns of LOCK. */
enum { LOCK_BEGAN, LOCK_ENDED, LOCK_BEFORE, LOCK_NEXT, LOCK_PLACE, LOCK_TAKEN };

/* The columns of SEGMENTS. */
enum { S_ID, S_SINCE, S_ENTERS, S_LEAVES, S_RULES, S_SETTLED, S_LOOK };

/* The columns of DATES. */
enum { DATES_WORKFLOW, DATES_VERSION, DATES_SINCE };

bool
store_look_due(
    struct db *db, gint64 now, struct base_id *workspace_r, bool *found_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[DUE], DB_VALUES(db_int(now), db_int(now)), error);

	*found_r = rows && db_rows_next(rows);
	if (*found_r)
		db_rows_id(rows, DB_ROWS_ONLY, workspace_r);
	return rows != NULL;
}

bool
store_look_lock(
    struct db *db, const struct base_id *workspace, struct store_look *look_r, GError **error)
{
	if (!db_run(db, sql[MAKE], DB_VALUES(db_id(workspace)), NULL, error))
		return false;
	AUTO(db_rows) rows = db_select(db, sql[LOCK], DB_VALUES(db_id(workspace)), error);
	if (!rows)
		return false;
	*look_r = (struct store_look){.workspace_id = *workspace, .ended = 1};
	if (!db_rows_next(rows))
		return true;
	look_r->began = db_rows_int(rows, LOCK_BEGAN);
	look_r->ended = db_rows_int(rows, LOCK_ENDED);
	look_r->before_began = db_rows_int(rows, LOCK_BEFORE);
	look_r->next_at = db_rows_int(rows, LOCK_NEXT);
	db_rows_id(rows, LOCK_PLACE, &look_r->place);
	look_r->taken = db_rows_int(rows, LOCK_TAKEN);
	return true;
}

bool
store_look_put(struct db *db, const struct store_look *look, GError **error)
{
	return db_run(db, sql[PUT],
	    DB_VALUES(db_int(look->began), db_int(look->ended), db_int(look->before_began),
		db_int(look->next_at), db_id(&look->place), db_int(look->taken),
		db_id(&look->workspace_id)),
	    NULL, error);
}

GArray *
store_look_segments(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[SEGMENTS], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return NULL;
	GArray *segments = g_array_new(FALSE, TRUE, sizeof(struct store_look_segment));
	while (db_rows_next(rows)) {
		struct store_look_segment segment = {.since = db_rows_int(rows, S_SINCE),
		    .enters = db_rows_int(rows, S_ENTERS) != 0,
		    .leaves = db_rows_int(rows, S_LEAVES) != 0,
		    .is_settled = db_rows_int(rows, S_SETTLED) != 0,
		    .look = db_rows_int(rows, S_LOOK)};

		db_rows_id(rows, S_ID, &segment.segment_id);
		db_rows_id(rows, S_RULES, &segment.rules);
		g_array_append_val(segments, segment);
	}
	return segments;
}

bool
store_look_segment_put(struct db *db, const struct base_id *workspace,
    const struct store_look_segment *segment, GError **error)
{
	return db_run(db, sql[SEGMENT_PUT],
	    DB_VALUES(db_id(workspace), db_id(&segment->segment_id), db_id(&segment->rules),
		db_int(segment->is_settled), db_int(segment->look)),
	    NULL, error);
}

bool
store_look_forget(struct db *db, const struct base_id *workspace, gint64 look, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[STALE], DB_VALUES(db_id(workspace), db_int(look)), error);
	struct base_id segment;
	guint64 removed;

	while (rows && db_rows_next(rows)) {
		db_rows_id(rows, DB_ROWS_ONLY, &segment);
		if (!db_run(db, sql[FORGET_IN], DB_VALUES(db_id(&segment), db_int(FORGET_ROWS)),
			&removed, error))
			return false;
		if (removed < FORGET_ROWS &&
		    !db_run(
			db, sql[FORGET], DB_VALUES(db_id(workspace), db_id(&segment)), NULL, error))
			return false;
	}
	return rows != NULL;
}

bool
store_look_settle(
    struct db *db, const struct base_id *workspace, gint64 look, bool *more_r, GError **error)
{
	if (!db_run(db, sql[SETTLE], DB_VALUES(db_id(workspace), db_int(look)), NULL, error))
		return false;
	AUTO(db_rows)
	rows = db_select(db, sql[IS_MORE], DB_VALUES(db_id(workspace), db_int(look)), error);
	*more_r = rows && db_rows_next(rows);
	return rows != NULL;
}

/* Appends the ids of the rows. */
static bool
look_add(GArray *people, struct db_rows *rows)
{
	struct base_id id;

	while (rows && db_rows_next(rows)) {
		db_rows_id(rows, DB_ROWS_ONLY, &id);
		g_array_append_val(people, id);
	}
	return rows != NULL;
}

GArray *
store_look_in(struct db *db, const struct base_id *segment, const struct base_id *after,
    const struct base_id *last, GError **error)
{
	g_autoptr(GArray) people = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	AUTO(db_rows)
	rows =
	    db_select(db, sql[STORED], DB_VALUES(db_id(segment), db_id(after), db_id(last)), error);

	return look_add(people, rows) ? g_steal_pointer(&people) : NULL;
}

#define ASKED 50 /* people of UNCONFIRMED */

GArray *
store_look_unconfirmed(
    struct db *db, const struct base_id *workspace, const GArray *people, GError **error)
{
	g_autoptr(GArray) unconfirmed = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct db_value values[ASKED + 1];

	values[ASKED] = db_id(workspace);
	for (guint first = 0; first < people->len; first += ASKED) {
		for (guint i = 0; i < ASKED; i++)
			values[i] = db_id(&g_array_index(
			    people, struct base_id, MIN(first + i, people->len - 1)));
		AUTO(db_rows)
		rows = db_select(db, sql[UNCONFIRMED], values, G_N_ELEMENTS(values), error);
		if (!look_add(unconfirmed, rows))
			return NULL;
	}
	return g_steal_pointer(&unconfirmed);
}

GArray *
store_look_unconfirmed_between(struct db *db, const struct base_id *workspace,
    const struct base_id *after, const struct base_id *last, GError **error)
{
	g_autoptr(GArray) unconfirmed = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	AUTO(db_rows)
	rows = db_select(db, sql[UNCONFIRMED_BETWEEN],
	    DB_VALUES(db_id(workspace), db_id(after), db_id(last)), error);

	return look_add(unconfirmed, rows) ? g_steal_pointer(&unconfirmed) : NULL;
}

#define TURN_COLUMNS 3

/* Queues an event of each person. */
static bool
look_tell(struct db *db, const struct store_look *look, const struct store_look_turn *turn,
    GError **error)
{
	const GArray *people = turn->people;
	char text[ID_TEXT_SIZE];
	g_autofree char *properties =
	    g_strdup_printf("{\"segment_id\":\"%s\"}", base_id_format(turn->segment, text));

	for (guint i = 0; i < people->len; i++) {
		struct base_id id =
		    store_own_id(look->began, turn->is_in ? RANK_ENTERED : RANK_LEFT, turn->number);

		if (!db_defer(db, sql[TELL_ONE],
			DB_VALUES(db_id(&id), db_int(look->began), db_text(turn->name),
			    db_text(properties), db_null(),
			    db_id(&g_array_index(people, struct base_id, i)),
			    db_id(&look->workspace_id)),
			1, error))
			return false;
	}
	return true;
}

bool
store_look_turn(struct db *db, const struct store_look *look, const struct store_look_turn *turn,
    GError **error)
{
	const GArray *people = turn->people;
	gsize columns = turn->is_in ? TURN_COLUMNS : TURN_COLUMNS - 1;
	g_autofree struct db_value *values = g_new(struct db_value, columns * people->len);

	for (guint i = 0; i < people->len; i++) {
		const struct db_value row[TURN_COLUMNS] = {db_id(turn->segment),
		    db_id(&g_array_index(people, struct base_id, i)), db_id(&look->workspace_id)};

		base_array_copy(values + columns * i, row, columns, sizeof(*row));
	}
	return db_run_rows(db, sql[turn->is_in ? ENTER : LEAVE], values, columns, people->len, NULL,
		   error) &&
	       (!turn->name || people->len == 0 || look_tell(db, look, turn, error));
}

GArray *
store_look_dates(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[DATES], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return NULL;
	GArray *dates = g_array_new(FALSE, FALSE, sizeof(struct store_look_date));
	while (db_rows_next(rows)) {
		struct store_look_date date = {.version = (guint)db_rows_int(rows, DATES_VERSION),
		    .since = db_rows_int(rows, DATES_SINCE),
		    .number = dates->len};

		db_rows_id(rows, DATES_WORKFLOW, &date.workflow_id);
		g_array_append_val(dates, date);
	}
	return dates;
}

bool
store_look_date_tell(struct db *db, const struct base_id *workspace,
    const struct store_look_reached *reached, GError **error)
{
	const struct db_value workflow = db_id(&reached->workflow),
			      person = db_id(&reached->person), time = db_int(reached->time);
	struct base_id id = store_own_id(reached->time, RANK_DATE, reached->number);
	guint64 added = 0;

	if (!db_run(db, sql[DATE_ADD],
		DB_VALUES(workflow, person, db_int(reached->day), db_id(workspace), time), &added,
		error))
		return false;
	return added == 0 ||
	       db_run(db, sql[TELL_ONE],
		   DB_VALUES(db_id(&id), time, db_text("date.reached"),
		       db_text(reached->properties), workflow, person, db_id(workspace)),
		   NULL, error);
}

bool
store_look_date_forget(
    struct db *db, const struct base_id *workspace, gint64 before, GError **error)
{
	return db_run(
	    db, sql[DATE_FORGET], DB_VALUES(db_id(workspace), db_int(before)), NULL, error);
}

bool
store_look_oldest(struct db *db, gint64 *oldest_r, bool *heard_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[OLDEST], NULL, 0, error);

	*heard_r = rows && db_rows_next(rows) && !db_rows_is_null(rows, DB_ROWS_ONLY);
	*oldest_r = *heard_r ? db_rows_int(rows, DB_ROWS_ONLY) : 0;
	return rows != NULL;
}

bool
store_look_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *person, GError **error)
{
	const struct db_value values[] = {db_id(person), db_id(workspace)};

	return db_defer(db, sql[REMOVE_IN], values, G_N_ELEMENTS(values), 1, error) &&
	       db_defer(db, sql[REMOVE_DATES], values, G_N_ELEMENTS(values), 1, error);
}
