/* SPDX-License-Identifier: MIT */
/* Guards: preconditions of the statements of one handle, such as that the API key of the request is
   still valid.

   A process knows from a cache which key a request has. But a key that was revoked must not work
   any more, in no process, from the COMMIT on. A query of its own for each request would cost a
   round trip, so the request has a handle to the connection that carries the question to the next
   statement. db/statement.c and db/compound.c choose its form:
   1. A plain SELECT gets one more column, which tells whether the condition holds. db_select_row
      joins the row of the condition with its tables.
   2. Any other statement becomes a compound one. It begins with IF NOT condition, which raises the
      SQLSTATE that nothing else uses, so that nothing behind it runs.
   3. A statement that succeeds has proved the condition, and drops the guard.
   4. After a failure db->denied is set, and every later call with the handle fails with FORBIDDEN.
      So code that ignores one error still does nothing for a key that has ended.

   Nothing of a guard is stored: with the process or the connection, guard and request end
   together. */
#include "db/precondition.h"

#include "base/error.h"
#include "db/compound.h"
#include "db/execute.h"
#include "db/handle.h"

void
db_precondition_drop(struct db *db)
{
	if (db->guard)
		g_free(db->guard->condition);
	g_clear_pointer(&db->guard, g_free);
}

struct db *
db_guarded(const struct db *db, const struct db_precondition_form *form,
    const struct db_value *values, gsize count)
{
	struct db *guarded = g_new0(struct db, 1);
	struct db_guard *guard = g_new(struct db_guard, 1);

	g_assert(!db->is_guarded);
	*guard = (struct db_guard){form, db_query_copy_new(form->condition, values, count)};
	*guarded = (struct db){.on = db->on, .is_guarded = true, .guard = guard};
	return guarded;
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
	const char *sql = db_compound_build(
	    db, db->guard, &(struct db_compound){.parts = DB_COMPOUND_ALWAYS}, values);
	AUTO(db_batch) batch = db_batch_new((struct db_value *)values->data, values->len, 1);
	if (!db_execute(db, sql, batch, db_handle_failed, error))
		return false;
	db_precondition_drop(db);
	return true;
}
