/* SPDX-License-Identifier: MIT */
/* Stores and removes watches. */
#include "store/automation/watch.h"

#include <string.h>

#include "db/statement.h"

enum { INSERT, REMOVE, END, FORGET };
/* By checked ids: REMOVE, END, FORGET. The caller has locked the person, or has found the execution
   in its workspace. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO execution_watch (contact_id, event_name, property, hash, execution_id,"
	       " kind, workspace_id, until) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
	       " ON DUPLICATE KEY UPDATE until = VALUES(until)",
    [REMOVE] = "DELETE FROM execution_watch WHERE execution_id = ? AND kind = ?",
    [END] = "DELETE FROM execution_watch WHERE execution_id = ? AND until IS NULL",
    [FORGET] = "DELETE FROM execution_watch WHERE contact_id = ?",
};

#define INSERT_COLUMNS 8

bool
store_watch_insert(struct db *db, const struct store_watch *watches, guint count, GError **error)
{
	static const guint8 none[WATCH_HASH_SIZE];

	for (guint i = 0; i < count; i++) {
		const struct store_watch *watch = &watches[i];
		const struct db_value row[INSERT_COLUMNS] = {db_id(watch->contact),
		    db_text(watch->event_name), db_text(watch->property ? watch->property : ""),
		    db_bytes((const char *)(watch->property ? watch->hash : none), WATCH_HASH_SIZE),
		    db_id(watch->execution), db_int(watch->kind), db_id(watch->workspace),
		    db_int_or_null(watch->until)};

		if (!db_defer_row(db, sql[INSERT], row, INSERT_COLUMNS, error))
			return false;
	}
	return true;
}

bool
store_watch_remove(
    struct db *db, const struct base_id *execution, enum store_watch_kind kind, GError **error)
{
	return db_defer(db, sql[REMOVE], DB_VALUES(db_id(execution), db_int(kind)), 1, error);
}

bool
store_watch_end(struct db *db, const struct base_id *const *executions, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, count);

	for (guint i = 0; i < count; i++)
		values[i] = db_id(executions[i]);
	return count == 0 || db_defer(db, sql[END], values, 1, count, error);
}

bool
store_watch_forget(struct db *db, const struct base_id *contact, GError **error)
{
	return db_defer(db, sql[FORGET], DB_VALUES(db_id(contact)), 1, error);
}
