/* SPDX-License-Identifier: MIT */
/* Reads and records entries by key. */
#include "store/automation/keyed.h"

#include "db/statement.h"
#include "store/automation/execution.h"
#include "store/automation/workflow.h"

enum { GET, PUT, PUT_FIRST };
/* By checked ids: GET. The caller has locked the person. */
static const char *const sql[] = {
    [GET] = "SELECT k.event_name, k.started, x.status IN (" EXECUTION_IN_PROGRESS_SQL
	    ", " EXECUTION_WAITING_SQL ") FROM workflow_key k LEFT JOIN execution x"
	    " ON x.id = k.execution_id"
	    " WHERE k.workflow_id = ? AND k.contact_id = ? AND k.hash = ?",
    [PUT] = "INSERT INTO workflow_key (workflow_id, contact_id, hash, workspace_id, event_name,"
	    " started, execution_id) VALUES (?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
	    " event_name = IF(VALUES(started) < started, event_name, VALUES(event_name)),"
	    " started = GREATEST(started, VALUES(started)), execution_id = VALUES(execution_id)",
    [PUT_FIRST] =
	"INSERT INTO workflow_key (workflow_id, contact_id, hash, workspace_id, event_name,"
	" started, execution_id) VALUES (?, ?, ?, ?, ?, ?, ?)",
};

/* The columns of GET. */
enum { ENTRY_EVENT, ENTRY_STARTED, ENTRY_RUNS };

bool
store_keyed_get(struct db *db, const struct base_id *workflow, const struct base_id *contact,
    const guint8 hash[KEYED_HASH_SIZE], struct store_keyed_entry *entry_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET],
	    DB_VALUES(
		db_id(workflow), db_id(contact), db_bytes((const char *)hash, KEYED_HASH_SIZE)),
	    error);

	*entry_r = (struct store_keyed_entry){NULL};
	if (!rows || !db_rows_next(rows))
		return rows != NULL;
	entry_r->event_name = g_strdup(db_rows_text(rows, ENTRY_EVENT));
	entry_r->started = db_rows_int(rows, ENTRY_STARTED);
	entry_r->runs = db_rows_int(rows, ENTRY_RUNS) != 0;
	return true;
}

bool
store_keyed_put(struct db *db, const struct store_workflow_entry *entry,
    const guint8 hash[KEYED_HASH_SIZE], const struct base_id *execution, GError **error)
{
	const struct db_value values[] = {db_id(entry->workflow), db_id(entry->contact),
	    db_bytes((const char *)hash, KEYED_HASH_SIZE), db_id(entry->workspace),
	    db_text(entry->event_name), db_int(entry->time), db_id(execution)};

	return db_defer_row(
	    db, sql[entry->first ? PUT_FIRST : PUT], values, G_N_ELEMENTS(values), error);
}
