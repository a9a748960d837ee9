/* SPDX-License-Identifier: MIT */
/* Guards: conditions that are checked before the next statement. */
#include "db/precondition.h"

#include "base/error.h"
#include "db/compound.h"
#include "db/execute.h"
#include "db/handle.h"

void
db_precondition_drop(struct db *db)
{
	g_clear_pointer(&db->guard, g_free);
	db->denied = false;
}

void
db_precondition(struct db *db, const struct db_precondition_form *form,
    const struct db_value *values, gsize count)
{
	g_assert(!db->in_transaction);
	db_precondition_drop(db);
	db->guard = db_query_copy_new(form->condition, values, count);
	db->guard_table = form->table;
	db->guard_row = form->row;
}

bool
db_precondition_waits(const struct db *db)
{
	return db->guard && !db->denied;
}

bool
db_precondition_settle(struct db *db, GError **error)
{
	if (!db->guard)
		return true;
	g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(struct db_value));
	const char *sql = db_compound_build(db, NULL, 0, DB_COMPOUND_ALWAYS, values);
	AUTO(db_batch) batch = db_batch_new((struct db_value *)values->data, values->len, 1);
	if (!db_execute(db, sql, batch, db_handle_failed, error))
		return false;
	db_precondition_drop(db);
	return true;
}
