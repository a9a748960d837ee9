/* SPDX-License-Identifier: MIT */
/* Opens, fills and closes digests. */
#include "store/automation/digest.h"

#include "db/columns.h"
#include "db/statement.h"
#include "store/automation/execution.h"

#define EVENT_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(event_id, "event_id")                                                                \
	NEXT(timestamp, "timestamp")                                                               \
	NEXT(properties, "properties")
DB_COLUMNS_MAKER(digest_read_event, struct store_digest_event, EVENT_COLUMNS)

enum {
	FIND,
	OPEN,
	ADD,
	COUNT,
	TRIM,
	COUNT_OF,
	EVENTS,
	REMOVE_EVENTS,
	REMOVE,
	FORGET_EVENTS,
	FORGET
};
/* By checked ids: COUNT, TRIM, COUNT_OF, EVENTS, REMOVE_EVENTS, REMOVE, FORGET_EVENTS, FORGET. The
   caller has locked the person of the execution, or has found the execution in its workspace. */
static const char *const sql[] = {
    [FIND] = "SELECT d.execution_id FROM digest d FORCE INDEX (PRIMARY) STRAIGHT_JOIN execution x"
	     " FORCE INDEX (PRIMARY) ON x.id = d.execution_id AND x.status IN "
	     "(" EXECUTION_IN_PROGRESS_SQL ", " EXECUTION_WAITING_SQL ")"
	     " WHERE d.contact_id = ? AND d.workflow_id = ? AND d.step_id = ? AND d.hash = ?"
	     " AND d.workspace_id = ? AND d.execution_id <> ? AND d.ends > ? AND d.opened < ?"
	     " ORDER BY d.ends LIMIT 1 FOR UPDATE",
    [OPEN] = "INSERT INTO digest (contact_id, workflow_id, step_id, hash, execution_id,"
	     " workspace_id, opened, ends, events) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
    [ADD] = "INSERT INTO digest_event (execution_id, timestamp, event_id, workspace_id, properties)"
	    " VALUES (?, ?, ?, ?, ?)",
    [COUNT] = "UPDATE digest SET events = events + 1 WHERE execution_id = ?",
    [TRIM] = "DELETE FROM digest_event WHERE execution_id = ? AND (SELECT events FROM digest d"
	     " WHERE d.execution_id = ?) > ? ORDER BY timestamp, event_id LIMIT 1",
    [COUNT_OF] = "SELECT events FROM digest WHERE execution_id = ? FOR UPDATE",
    [EVENTS] = "SELECT " DB_COLUMNS_SQL(
	EVENT_COLUMNS) " FROM digest_event WHERE execution_id = ? ORDER BY timestamp, event_id",
    [REMOVE_EVENTS] = "DELETE FROM digest_event WHERE execution_id = ?",
    [REMOVE] = "DELETE FROM digest WHERE execution_id = ?",
    [FORGET_EVENTS] = "DELETE e FROM digest d JOIN digest_event e"
		      " ON e.execution_id = d.execution_id WHERE d.contact_id = ?",
    [FORGET] = "DELETE FROM digest WHERE contact_id = ?",
};

void
store_digest_event_free(struct store_digest_event *event)
{
	g_free(event->properties);
	g_free(event);
}

bool
store_digest_find(struct db *db, const struct store_digest_place *place,
    const struct store_execution *other, bool *found_r, struct base_id *execution_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[FIND],
	    DB_VALUES(db_id(place->contact), db_id(place->workflow), db_text(place->step_id),
		db_bytes((const char *)place->hash, DIGEST_HASH_SIZE), db_id(place->workspace),
		db_id(&other->id), db_int(other->step_time), db_int(place->ends)),
	    error);

	if (!rows)
		return false;
	*found_r = db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, execution_r);
	return true;
}

bool
store_digest_open(struct db *db, const struct store_digest_place *place,
    const struct store_execution *execution, GError **error)
{
	return db_run(db, sql[OPEN],
	    DB_VALUES(db_id(place->contact), db_id(place->workflow), db_text(place->step_id),
		db_bytes((const char *)place->hash, DIGEST_HASH_SIZE), db_id(&execution->id),
		db_id(place->workspace), db_int(execution->step_time), db_int(place->ends)),
	    NULL, error);
}

bool
store_digest_add(struct db *db, const struct base_id *workspace, const struct base_id *execution,
    const struct store_digest_event *event, guint most, GError **error)
{
	const struct db_value id = db_id(execution);

	return db_run(db, sql[ADD],
		   DB_VALUES(id, db_int(event->timestamp), db_id(&event->event_id),
		       db_id(workspace), db_text(event->properties)),
		   NULL, error) &&
	       db_run(db, sql[COUNT], DB_VALUES(id), NULL, error) &&
	       db_run(db, sql[TRIM], DB_VALUES(id, id, db_int(most)), NULL, error);
}

static bool
digest_count(struct db *db, const struct base_id *execution, guint *count_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[COUNT_OF], DB_VALUES(db_id(execution)), error);

	if (!rows)
		return false;
	*count_r = db_rows_next(rows) ? (guint)db_rows_int(rows, DB_ROWS_ONLY) : 0;
	return true;
}

GPtrArray *
store_digest_take(struct db *db, const struct base_id *execution, guint *count_r, GError **error)
{
	if (!digest_count(db, execution, count_r, error))
		return NULL;
	AUTO(db_rows) rows = db_select(db, sql[EVENTS], DB_VALUES(db_id(execution)), error);
	g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(store_digest_event_destroy);
	while (rows && db_rows_next(rows))
		g_ptr_array_add(events, digest_read_event(rows));
	return rows && store_digest_remove(db, execution, error) ? g_steal_pointer(&events) : NULL;
}

bool
store_digest_remove(struct db *db, const struct base_id *execution, GError **error)
{
	const struct db_value id = db_id(execution);

	return db_defer(db, sql[REMOVE_EVENTS], &id, 1, 1, error) &&
	       db_defer(db, sql[REMOVE], &id, 1, 1, error);
}

bool
store_digest_forget(struct db *db, const struct base_id *contact, GError **error)
{
	const struct db_value id = db_id(contact);

	return db_defer(db, sql[FORGET_EVENTS], &id, 1, 1, error) &&
	       db_defer(db, sql[FORGET], &id, 1, 1, error);
}
