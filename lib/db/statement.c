/* Runs prepared statements: once, for many rows at once, or for their result. */
#include "db/statement.h"

#include <mysql.h>
#include <poll.h>
#include <string.h>

#include "db/batch.h"
#include "db/block.h"
#include "db/deferred.h"
#include "db/execute.h"
#include "db/guard.h"
#include "db/handle.h"

/* How a statement goes: as it stands, in a block with what has to go before it, or in one always.
 */
enum form { ALONE, IN_BLOCK, OF_BLOCK };

/* What goes before a statement: those that were put off, the guard, and START TRANSACTION. Where a
   block is to hold both, *sql becomes its text. */
static bool
make_way(struct db *db, const char **sql, enum form form, GError **error)
{
	if (!db_handle_ready(db, error) || !db_deferred_run(db, error) ||
	    !db_handle_clear(db, error) || (form == ALONE && !db_guard_settle(db, error)))
		return false;
	bool begins = db->in_transaction && !db->begun;
	db->touched |= begins;
	if (form == OF_BLOCK || (form == IN_BLOCK && (begins || db->guard)))
		*sql = db_block_text(db, sql, 1, begins, false);
	else if (begins)
		db->begun = db_handle_command(db, "START TRANSACTION", error);
	return form != ALONE || !begins || db->begun;
}

/* A transaction whose first statement fails may be open or not: the next one begins it again. */
static MYSQL_STMT *
run(struct db *db, const char *sql, const struct db_value *values, gsize columns, gsize rows,
    enum form form, db_execute_failed failed, GError **error)
{
	if (!make_way(db, &sql, form, error))
		return NULL;
	g_autoptr(GArray) all = db_block_values(db);
	if (all->len > 0)
		values = (struct db_value *)g_array_append_vals(all, values, (guint)columns)->data;
	AUTO(db_batch) batch = db_batch_new(values, all->len > 0 ? all->len : columns, rows);
	MYSQL_STMT *statement = db_execute(db, sql, batch, failed, error);
	if (!statement)
		return NULL;
	db->begun = db->in_transaction;
	db_guard_drop(db);
	return statement;
}

/* A block tells nothing of the rows that its statement affected, and takes no array. */
static bool
run_batch(struct db *db, const char *sql, const struct db_value *values, gsize columns, gsize rows,
    guint64 *affected_r, GError **error)
{
	enum form form = rows == 1 && !affected_r ? IN_BLOCK : ALONE;
	MYSQL_STMT *statement = run(db, sql, values, columns, rows, form, db_handle_doubted, error);

	if (!statement)
		return false;
	g_assert(mysql_stmt_field_count(statement) == 0);
	if (affected_r)
		*affected_r += mysql_stmt_affected_rows(statement);
	return true;
}

bool
db_run(struct db *db, const char *sql, const struct db_value *values, gsize count,
    guint64 *affected_r, GError **error)
{
	guint64 affected = 0;

	if (!run_batch(db, sql, values, count, 1, affected_r ? &affected : NULL, error))
		return false;
	if (affected_r)
		*affected_r = affected;
	return true;
}

bool
db_run_compound(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error)
{
	return run(db, sql, values, count, 1, OF_BLOCK, db_handle_doubted, error) != NULL;
}

bool
db_run_rows(struct db *db, const char *sql, const struct db_value *values, gsize columns,
    gsize rows, guint64 *affected_r, GError **error)
{
	guint64 affected = 0;

	while (rows > 0) {
		gsize some = db_batch_fill(values, columns, rows);
		if (!run_batch(
			db, sql, values, columns, some, affected_r ? &affected : NULL, error))
			return false;
		values += some * columns;
		rows -= some;
	}
	if (affected_r)
		*affected_r = affected;
	return true;
}

bool
db_defer(struct db *db, const char *sql, const struct db_value *values, gsize columns, gsize rows,
    GError **error)
{
	if (!db_handle_ready(db, error))
		return false;
	if (!db->in_transaction || !db_deferred_takes(values, columns, rows))
		return db_run_rows(db, sql, values, columns, rows, NULL, error);
	for (gsize i = 0; i < rows; i++)
		if (!db_deferred_add(db, sql, values + i * columns, columns, error))
			return false;
	return true;
}

bool
db_run_deferred(struct db *db, GError **error)
{
	return db_handle_ready(db, error) && db_deferred_run(db, error);
}

/* Behind the rows of a block comes the end of the block, or what it failed of after all. */
static bool
end_block(struct db *db, MYSQL_STMT *statement, const char *sql, GError **error)
{
	int more;

	while ((more = mysql_stmt_next_result(statement)) == 0)
		mysql_stmt_free_result(statement);
	return more < 0 || db_handle_failed(db, statement, sql, error);
}

struct db_rows *
db_select(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error)
{
	MYSQL_STMT *statement = run(db, sql, values, count, 1, IN_BLOCK, db_handle_failed, error);

	if (!statement)
		return NULL;
	g_assert(mysql_stmt_field_count(statement) > 0);
	AUTO(db_rows) rows = db_rows_read(db, statement, sql, error);
	mysql_stmt_free_result(statement);
	if (!rows || !end_block(db, statement, sql, error))
		return NULL;
	return g_steal_pointer(&rows);
}

/* The client library would give up after the time in which it wants an answer; changing a large
   table takes longer. */
static void
wait_for_answer(struct db *db)
{
	struct pollfd fd = {.fd = mysql_get_socket(db->mysql), .events = POLLIN};

	poll(&fd, 1, -1);
}

bool
db_run_plain(struct db *db, const char *sql, GError **error)
{
	if (!make_way(db, &sql, ALONE, error))
		return false;
	if (mysql_send_query(db->mysql, sql, strlen(sql)) != 0)
		return db_handle_failed(db, NULL, sql, error);
	wait_for_answer(db);
	if (mysql_read_query_result(db->mysql) != 0)
		return db_handle_doubted(db, NULL, sql, error);
	if (mysql_field_count(db->mysql) == 0)
		return true;
	MYSQL_RES *result = mysql_store_result(db->mysql);
	if (!result)
		return db_handle_failed(db, NULL, sql, error);
	mysql_free_result(result);
	return true;
}
