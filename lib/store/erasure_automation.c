/* SPDX-License-Identifier: MIT */
/* Removes what automation knows of a person who has to be forgotten. */
#include "db/statement.h"
#include "store/erasure.h"

enum {
	CONTACT,
	EXECUTIONS,
	WAITS,
	EMAILS,
	FEEDBACK,
	ENTRIES,
	EVENTS,
	REMOVE,
	TRACES,
	REMOVE_TRACES,
};
static const char *const sql[] = {
    /* Whatever else changes something of a contact locks its row first. */
    [CONTACT] =
	"SELECT id FROM automation_contact WHERE workspace_id = ? AND address = ? FOR UPDATE",
    [EXECUTIONS] = "DELETE FROM execution WHERE contact_id = ?",
    [WAITS] = "DELETE FROM execution_wait WHERE contact_id = ?",
    [EMAILS] = "DELETE m FROM execution e JOIN execution_email m ON m.execution_id = e.id"
	       " WHERE e.contact_id = ?",
    [FEEDBACK] = "DELETE FROM automation_feedback WHERE contact_id = ?",
    [ENTRIES] = "DELETE FROM workflow_entry WHERE contact_id = ?",
    [EVENTS] = "DELETE FROM automation_event WHERE contact_id = ?",
    [REMOVE] = "DELETE FROM automation_contact WHERE id = ?",
    [TRACES] = "SELECT contact_id FROM execution_trace WHERE workspace_id = ? AND address = ?",
    [REMOVE_TRACES] = "DELETE FROM execution_trace WHERE contact_id = ?",
};

static bool
remove_of(
    struct db *db, int statement, const struct base_id *contact, guint64 *removed, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[statement], DB_VALUES(db_id(contact)), &affected, error))
		return false;
	if (removed)
		*removed += affected;
	return true;
}

/* All of a contact, which may itself be gone already. */
static bool
remove_all(
    struct db *db, const struct base_id *contact, struct store_erasure *erasure, GError **error)
{
	return remove_of(db, EMAILS, contact, NULL, error) &&
	       remove_of(db, WAITS, contact, NULL, error) &&
	       remove_of(db, FEEDBACK, contact, NULL, error) &&
	       remove_of(db, ENTRIES, contact, NULL, error) &&
	       remove_of(db, EVENTS, contact, &erasure->automation_events, error) &&
	       remove_of(db, EXECUTIONS, contact, &erasure->executions, error) &&
	       remove_of(db, REMOVE, contact, &erasure->automation_contacts, error) &&
	       remove_of(db, REMOVE_TRACES, contact, NULL, error);
}

static bool
remove_found(struct db *db, int statement, const struct base_id *workspace, const char *address,
    struct store_erasure *erasure, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[statement], DB_VALUES(db_id(workspace), db_text(address)), error);
	struct base_id contact;

	if (!rows)
		return false;
	while (db_rows_next(rows))
		if (db_rows_id(rows, 0, &contact) && !remove_all(db, &contact, erasure, error))
			return false;
	return true;
}

bool
store_erasure_automation(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure *erasure, GError **error)
{
	return remove_found(db, CONTACT, workspace, address, erasure, error) &&
	       remove_found(db, TRACES, workspace, address, erasure, error);
}
