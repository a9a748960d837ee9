/* SPDX-License-Identifier: MIT */
/* The queue of deferred statements of a transaction, which is run in one round trip.

   Most writes of a transaction return nothing that its body needs, for example events and figures.
   db_defer puts such a statement, with copies of its values, into a queue on the connection.
   1. A statement that takes a list of rows grows by a row where it is in the queue already
      (db_deferred_join).
   2. Before the next statement that is sent at once, the queue is run as one compound statement.
      The server thus runs them in the order of the calls, but the rows of step 1 with the first of
      them. A full queue (STATEMENTS_MAX, BYTES_MAX) is run, too.
   3. The rest of the queue goes to the server at the end of the body, together with COMMIT
      (db_deferred_commit). A short transaction takes one round trip.

   An error comes later than the call that caused it. So after a failure of the queue the
   transaction is undone, whatever its body returns: the body cannot know which of its calls has
   failed. When the answer to step 3 is lost, the server is asked whether the transaction is still
   open (db/transaction.c); otherwise the result is UNCERTAIN. A process that dies has sent no
   COMMIT, or the whole one: the server keeps all of the transaction or nothing. */
#include "db/deferred.h"

#include <string.h>

#include "base/array.h"
#include "db/compound.h"
#include "db/execute.h"
#include "db/handle.h"
#include "db/precondition.h"

#define STATEMENTS_MAX 16
/* More rows of one statement are run by array binding. */
#define ROWS_MAX 3
#define LIST_MAX 32 /* of an INSERT that takes a list of rows */
#define BYTES_MAX (BATCH_SIZE / 2)

GPtrArray *
db_deferred_new(void)
{
	return g_ptr_array_new_with_free_func(g_free);
}

void
db_deferred_forget(struct db *db)
{
	g_ptr_array_set_size(db->on->deferred, 0);
	db->on->deferred_size = 0;
}

static bool
run_together(struct db *db, enum db_compound_parts parts, GError **error)
{
	g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(struct db_value));
	struct db_query queries[STATEMENTS_MAX];
	struct db_when whens[STATEMENTS_MAX];
	guint count = db->on->deferred->len;

	for (guint i = 0; i < count; i++) {
		const struct db_query_copy *copy = db->on->deferred->pdata[i];

		queries[i] = copy->query;
		whens[i] = copy->when;
	}
	if (!db->on->begun)
		parts |= DB_COMPOUND_BEGINS;
	const struct db_compound compound = {queries, count, parts, whens};
	const char *sql = db_compound_build(db, db->guard, &compound, values);
	AUTO(db_batch) batch = db_batch_new((struct db_value *)values->data, values->len, 1);
	db->on->touched = true;
	if (!db_execute(db, sql, batch, db_handle_failed, error))
		return false;
	db->on->begun = true;
	db_precondition_drop(db);
	return true;
}

bool
db_deferred_run(struct db *db, GError **error)
{
	if (db->on->deferred->len == 0)
		return true;
	bool done = db_handle_clear(db, error) && run_together(db, 0, error);
	db_deferred_forget(db);
	/* The body may ignore an error of its own statement, but must not ignore this one. */
	db->on->undone |= !done;
	return done;
}

bool
db_deferred_settle(struct db *db, GError **error)
{
	return db->on->deferred->len == 0 || db_handle_clear(db, error);
}

bool
db_deferred_commit(struct db *db, GError **error)
{
	bool done = run_together(db, DB_COMPOUND_COMMITS, error);

	db_deferred_forget(db);
	return done;
}

static bool
deferred_takes(const char *sql, const struct db_value *values, gsize columns, gsize rows)
{
	return rows <= (db_compound_takes_rows(sql) ? LIST_MAX : ROWS_MAX) &&
	       db_query_copy_size(values, columns * rows) <= BYTES_MAX;
}

static bool
deferred_add(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error)
{
	if ((db->on->deferred->len == STATEMENTS_MAX || db->on->deferred_size > BYTES_MAX) &&
	    !db_deferred_run(db, error))
		return false;
	g_ptr_array_add(db->on->deferred, db_query_copy_new(sql, values, count));
	db->on->deferred_size += count * sizeof(*values) + db_query_copy_size(values, count);
	return true;
}

bool
db_deferred_add(
    struct db *db, const struct db_query *row, gsize rows, bool *taken_r, GError **error)
{
	const char *sql = row->sql;
	const struct db_value *values = row->values;
	gsize columns = row->count;

	*taken_r = rows == 0 || deferred_takes(sql, values, columns, rows);
	if (!*taken_r || rows == 0)
		return true;
	if (rows > 1 && db_compound_takes_rows(sql))
		return deferred_add(db, sql, values, columns * rows, error);
	for (gsize i = 0; i < rows; i++)
		if (!deferred_add(db, sql, values + i * columns, columns, error))
			return false;
	return true;
}

bool
db_deferred_add_if(
    struct db *db, const struct db_when *when, const struct db_query *query, GError **error)
{
	gsize count = query->count + when->fact.count;
	g_autofree struct db_value *values = g_new(struct db_value, count);

	base_array_copy(values, query->values, query->count, sizeof(*values));
	base_array_copy(
	    values + query->count, when->fact.values, when->fact.count, sizeof(*values));
	if (!deferred_add(db, query->sql, values, count, error))
		return false;
	struct db_query_copy *copy = db->on->deferred->pdata[db->on->deferred->len - 1];
	copy->query.count = query->count;
	copy->when = *when;
	copy->when.fact.values = copy->values + query->count;
	return true;
}

/* Replaces a statement of the queue by one that has one row more. */
static void
deferred_join(struct db *db, guint place, const struct db_value *values, gsize columns)
{
	const struct db_query *old =
	    &((const struct db_query_copy *)db->on->deferred->pdata[place])->query;
	g_autofree struct db_value *all = g_new(struct db_value, old->count + columns);

	base_array_copy(all, old->values, old->count, sizeof(*all));
	base_array_copy(all + old->count, values, columns, sizeof(*all));
	struct db_query_copy *copy = db_query_copy_new(old->sql, all, old->count + columns);
	g_free(db->on->deferred->pdata[place]);
	db->on->deferred->pdata[place] = copy;
	db->on->deferred_size += columns * sizeof(*values) + db_query_copy_size(values, columns);
}

bool
db_deferred_join(struct db *db, const char *sql, const struct db_value *values, gsize columns)
{
	gsize size = db_query_copy_size(values, columns);

	for (guint i = 0; db->on->deferred_size + size <= BYTES_MAX && i < db->on->deferred->len;
	     i++) {
		const struct db_query_copy *copy = db->on->deferred->pdata[i];

		if (copy->query.sql != sql || copy->when.fact.sql ||
		    copy->query.count >= LIST_MAX * columns)
			continue;
		deferred_join(db, i, values, columns);
		return true;
	}
	return false;
}
