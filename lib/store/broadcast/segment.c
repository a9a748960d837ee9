/* SPDX-License-Identifier: MIT */
/* Stores segments, and the people of frozen ones. */
#include "store/broadcast/segment.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/start_status.h"
#include "store/automation/workflow.h"
#include "store/broadcast/status.h"
#include "store/common/edit.h"

#define SEGMENT_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(id, "id")                                                                            \
	NEXT(name, "name")                                                                         \
	NEXT(rules, "rules")                                                                       \
	NEXT(frozen_at, "frozen_at")                                                               \
	NEXT(people, "people")                                                                     \
	NEXT(created, "created")                                                                   \
	NEXT(updated, "updated")
#define ROWS "SELECT " DB_COLUMNS_SQL(SEGMENT_COLUMNS) " FROM segment WHERE "

#define STANDS " AND state = " SEGMENT_STANDS_SQL
#define UNSEEN                                                                                     \
	"state = " SEGMENT_REMOVED_SQL " OR (state = " SEGMENT_FREEZING_SQL " AND created < ?)"

enum {
	CREATE,
	GET,
	LOCK,
	FIND,
	CHANGE,
	IN_USE,
	REMOVE,
	ADD,
	FROZEN,
	OF_PERSON,
	LEAVE,
	COUNT_OUT,
	UNSWEPT,
	SWEEP,
	FORGET
};
/* System-wide: UNSWEPT. The spool frees the rows of all workspaces. */
/* By checked ids: SWEEP, FORGET. UNSWEPT has found the segment. */
static const char *const sql[] = {
    [CREATE] = "INSERT INTO segment (id, workspace_id, name, rules, state, created, updated)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?)",
    [GET] = ROWS "id = ? AND workspace_id = ?" STANDS,
    [LOCK] = ROWS "id = ? AND workspace_id = ?" STANDS " FOR UPDATE",
    [FIND] = "SELECT id FROM segment WHERE workspace_id = ? AND name = ?" STANDS " LIMIT 2",
    [CHANGE] = "UPDATE segment SET name = ?, rules = ?, updated = ?"
	       " WHERE id = ? AND workspace_id = ?" STANDS,
    /* Broadcasts that are scheduled, sending, testing or paused. */
    [IN_USE] =
	"SELECT 1 FROM broadcast FORCE INDEX (newest) WHERE workspace_id = ?"
	" AND status IN (" BROADCAST_SCHEDULED_SQL ", " BROADCAST_SENDING_SQL
	", " BROADCAST_TESTING_SQL ", " BROADCAST_PAUSED_SQL
	") AND (JSON_CONTAINS(LOWER(brief), ?, '$.segments')"
	" OR JSON_CONTAINS(LOWER(brief), ?, '$.exclude_segments')) UNION ALL"
	" SELECT 1 FROM workflow_start FORCE INDEX (workspace_status) WHERE workspace_id = ?"
	" AND status IN (" START_PENDING_SQL ", " START_RUNNING_SQL ") AND segment_id = ? UNION ALL"
	" SELECT 1 FROM workflow_heard h JOIN workflow w ON w.id = h.workflow_id"
	" WHERE h.workspace_id = ? AND h.segment_id = ? AND w.deleted IS NULL"
	" AND w.status IN (" WORKFLOW_ACTIVE_SQL ", " WORKFLOW_PAUSED_SQL ") LIMIT 1",
    [REMOVE] = "UPDATE segment SET state = " SEGMENT_REMOVED_SQL
	       " WHERE id = ? AND workspace_id = ?" STANDS,
    /* A transaction that removes a person locks its row first: the person is a member before, or
       not at all. */
    [ADD] = "INSERT IGNORE INTO segment_member (segment_id, person_id, workspace_id)"
	    " SELECT ?, p.id, p.workspace_id FROM person p FORCE INDEX (PRIMARY)"
	    " WHERE p.workspace_id = ? AND p.id IN (" DB_MARKS_64 ") LOCK IN SHARE MODE",
    [FROZEN] = "UPDATE segment SET state = " SEGMENT_STANDS_SQL
	       ", frozen_at = ?, people = (SELECT COUNT(*)"
	       " FROM segment_member m WHERE m.segment_id = segment.id)"
	       " WHERE id = ? AND workspace_id = ?",
    [OF_PERSON] = "SELECT m.segment_id FROM segment s STRAIGHT_JOIN segment_member m"
		  " ON m.segment_id = s.id AND m.person_id = ? WHERE s.workspace_id = ?"
		  " ORDER BY s.id",
    [LEAVE] = "DELETE FROM segment_member WHERE segment_id = ? AND person_id = ?"
	      " AND workspace_id = ?",
    [COUNT_OUT] = "UPDATE segment SET people = people - 1 WHERE id = ? AND workspace_id = ?",
    [UNSWEPT] = "SELECT id FROM segment WHERE " UNSEEN " LIMIT 1 FOR UPDATE SKIP LOCKED",
    [SWEEP] = "DELETE FROM segment_member WHERE segment_id = ? ORDER BY person_id LIMIT ?",
    [FORGET] = "DELETE FROM segment WHERE id = ?",
};

#define BATCH 1000
#define ABANDONED_MS (24 * 60 * 60 * G_GINT64_CONSTANT(1000))

void
store_segment_free(struct store_segment *segment)
{
	g_free(segment->name);
	g_free(segment->rules);
	g_free(segment);
}

bool
store_segment_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Segment not found");
}

bool
store_segment_create(
    struct db *db, struct store_segment *segment, enum store_segment_state state, GError **error)
{
	segment->id = base_id_new();
	segment->created = segment->updated = base_clock_now();
	return db_run(db, sql[CREATE],
	    DB_VALUES(db_id(&segment->id), db_id(&segment->workspace_id), db_text(segment->name),
		db_text(segment->rules), db_int(state), db_int(segment->created),
		db_int(segment->updated)),
	    NULL, error);
}

STORE_LISTING_READER(segment_read_row, struct store_segment, SEGMENT_COLUMNS)

struct store_segment *
store_segment_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return store_listing_one(
	    db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error), workspace,
	    segment_read_row, store_segment_missing, error);
}

struct store_segment *
store_segment_lock(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return store_listing_one(
	    db_select(db, sql[LOCK], DB_VALUES(db_id(id), db_id(workspace)), error), workspace,
	    segment_read_row, store_segment_missing, error);
}

bool
store_segment_find(struct db *db, const struct base_id *workspace, const char *name,
    struct base_id *id_r, GError **error)
{
	return store_listing_find(db, sql[FIND], workspace, name, "segment", id_r, error);
}

STORE_LISTING(
    listing, segment_read_row, store_segment_destroy, ROWS "workspace_id = ?" STANDS, "id");

GPtrArray *
store_segment_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

GPtrArray *
store_segment_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &listing, workspace, page, error);
}

bool
store_segment_change(struct db *db, struct store_segment *segment, GError **error)
{
	guint64 affected;

	segment->updated = store_edit_time(segment->updated);
	return db_run(db, sql[CHANGE],
		   DB_VALUES(db_text(segment->name), db_text(segment->rules),
		       db_int(segment->updated), db_id(&segment->id),
		       db_id(&segment->workspace_id)),
		   &affected, error) &&
	       (affected > 0 || store_segment_missing(error));
}

/* Checks that no broadcast that is to leave, and no start that is not over, names the segment. */
static bool
segment_check_unused(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	char text[ID_TEXT_SIZE];
	g_autofree char *quoted = g_strdup_printf("\"%s\"", base_id_format(id, text));
	AUTO(db_rows)
	rows = db_select(db, sql[IN_USE],
	    DB_VALUES(db_id(workspace), db_text(quoted), db_text(quoted), db_id(workspace),
		db_id(id), db_id(workspace), db_id(id)),
	    error);

	return rows &&
	       (!db_rows_next(rows) || base_fail(error, PH_ERROR_CONFLICT, "Segment is in use"));
}

bool
store_segment_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	guint64 affected;

	return segment_check_unused(db, workspace, id, error) &&
	       db_run(db, sql[REMOVE], DB_VALUES(db_id(id), db_id(workspace)), &affected, error) &&
	       (affected > 0 || store_segment_missing(error));
}

struct addition {
	const struct store_segment *segment;
	const struct base_id *people;
	guint count;
};

#define ADD_PEOPLE 64 /* in one statement */

static bool
add_some(struct db *db, const struct store_segment *segment, const struct base_id *people,
    guint count, GError **error)
{
	struct db_value values[2 + ADD_PEOPLE] = {
	    db_id(&segment->id), db_id(&segment->workspace_id)};

	for (guint i = 0; i < ADD_PEOPLE; i++)
		values[2 + i] = db_id(&people[MIN(i, count - 1)]);
	return db_run(db, sql[ADD], values, G_N_ELEMENTS(values), NULL, error);
}

static bool
segment_add(struct db *db, void *context, GError **error)
{
	const struct addition *addition = context;

	for (guint i = 0; i < addition->count; i += ADD_PEOPLE)
		if (!add_some(
			db, addition->segment, addition->people + i, addition->count - i, error))
			return false;
	return true;
}

bool
store_segment_add(struct db *db, const struct store_segment *segment, const struct base_id *people,
    guint count, GError **error)
{
	struct addition addition = {segment, people, count};

	return db_transact(db, segment_add, &addition, error);
}

bool
store_segment_frozen(struct db *db, struct store_segment *segment, GError **error)
{
	segment->frozen_at = base_clock_now();
	return db_run(db, sql[FROZEN],
	    DB_VALUES(
		db_int(segment->frozen_at), db_id(&segment->id), db_id(&segment->workspace_id)),
	    NULL, error);
}

bool
store_segment_leave(
    struct db *db, const struct base_id *workspace, const struct base_id *person, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[OF_PERSON], DB_VALUES(db_id(person), db_id(workspace)), error);
	struct base_id id;

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		db_rows_id(rows, DB_ROWS_ONLY, &id);
		if (!db_run(db, sql[LEAVE], DB_VALUES(db_id(&id), db_id(person), db_id(workspace)),
			NULL, error) ||
		    !db_run(
			db, sql[COUNT_OUT], DB_VALUES(db_id(&id), db_id(workspace)), NULL, error))
			return false;
	}
	return true;
}

static bool
segment_sweep(struct db *db, void *context, GError **error)
{
	bool *more = context;
	AUTO(db_rows)
	rows =
	    db_select(db, sql[UNSWEPT], DB_VALUES(db_int(base_clock_now() - ABANDONED_MS)), error);
	struct base_id id;
	guint64 affected;

	if (!rows)
		return false;
	*more = db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &id);
	if (!*more)
		return true;
	return db_run(db, sql[SWEEP], DB_VALUES(db_id(&id), db_int(BATCH)), &affected, error) &&
	       (affected == BATCH || db_run(db, sql[FORGET], DB_VALUES(db_id(&id)), NULL, error));
}

bool
store_segment_sweep(struct db *db, bool *more_r, GError **error)
{
	return db_transact(db, segment_sweep, more_r, error);
}
