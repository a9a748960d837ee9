/* Runs prepared statements: once, for many rows at once, or for their result. */
#include "db/statement.h"

#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <poll.h>
#include <string.h>

#include "base/error.h"
#include "db/batch.h"
#include "db/handle.h"

static MYSQL_STMT *
prepared(struct db *db, const char *sql, GError **error)
{
	MYSQL_STMT *statement = g_hash_table_lookup(db->statements, sql);

	if (statement)
		return statement;
	statement = mysql_stmt_init(db->mysql);
	if (!statement)
		g_error("out of memory");
	if (mysql_stmt_prepare(statement, sql, strlen(sql)) != 0) {
		db_handle_failed(db, statement, sql, error);
		mysql_stmt_close(statement);
		return NULL;
	}
	g_hash_table_insert(db->statements, (gpointer)sql, statement);
	return statement;
}

static bool
read_packet_size(struct db *db, GError **error)
{
	if (!db_handle_command(db, "SELECT @@max_allowed_packet", error))
		return false;
	MYSQL_RES *result = mysql_store_result(db->mysql);
	if (!result)
		return db_handle_failed(db, NULL, NULL, error);
	MYSQL_ROW row = mysql_fetch_row(result);
	db->packet_size = row && row[0] ? g_ascii_strtoull(row[0], NULL, 10) : 0;
	mysql_free_result(result);
	return true;
}

/* A server that gets more than it takes just hangs up, and that would look like a matter of the
   network, to be tried again for ever. So the connection asks once what it takes, at the first
   large statement. */
static bool
fits(struct db *db, const struct db_batch *batch, GError **error)
{
	if (batch->size <= BATCH_SIZE)
		return true;
	if (db->packet_size == 0 && !read_packet_size(db, error))
		return false;
	if (batch->size <= db->packet_size)
		return true;
	db->failure = (struct db_failure){.cause = DB_CAUSE_OTHER};
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
	    "The database takes %" G_GSIZE_FORMAT " bytes at once, and this needs %" G_GSIZE_FORMAT
	    "; raise max_allowed_packet of the server",
	    db->packet_size, batch->size);
	return false;
}

static bool
execute(MYSQL_STMT *statement, const struct db_batch *batch)
{
	guint rows = batch->rows > 1 ? (guint)batch->rows : 0;

	g_assert(mysql_stmt_param_count(statement) == batch->columns);
	mysql_stmt_attr_set(statement, STMT_ATTR_ARRAY_SIZE, &rows);
	if (batch->columns > 0 && mysql_stmt_bind_param(statement, batch->binds))
		return false;
	return mysql_stmt_execute(statement) == 0;
}

/* The executed statement. One that the server does not know any more (it was never run then) is
   prepared anew, once. failed: what to make of the failure of its execution. */
static MYSQL_STMT *
run(struct db *db, const char *sql, const struct db_batch *batch,
    bool (*failed)(struct db *, MYSQL_STMT *, const char *, GError **), GError **error)
{
	if (!db_handle_ready(db, error) || !fits(db, batch, error))
		return NULL;
	for (bool again = false;; again = true) {
		MYSQL_STMT *statement = prepared(db, sql, error);
		if (!statement)
			return NULL;
		if (execute(statement, batch))
			return statement;
		guint code = mysql_stmt_errno(statement);
		if (again || (code != ER_NEED_REPREPARE && code != ER_UNKNOWN_STMT_HANDLER)) {
			failed(db, statement, sql, error);
			return NULL;
		}
		g_hash_table_remove(db->statements, sql);
	}
}

static bool
run_batch(struct db *db, const char *sql, const struct db_value *values, gsize columns, gsize rows,
    guint64 *affected_r, GError **error)
{
	AUTO(db_batch) batch = db_batch_new(values, columns, rows);
	MYSQL_STMT *statement = run(db, sql, batch, db_handle_doubted, error);

	if (!statement)
		return false;
	g_assert(mysql_stmt_field_count(statement) == 0);
	*affected_r += mysql_stmt_affected_rows(statement);
	return true;
}

bool
db_run(struct db *db, const char *sql, const struct db_value *values, gsize count,
    guint64 *affected_r, GError **error)
{
	guint64 affected = 0;

	if (!run_batch(db, sql, values, count, 1, &affected, error))
		return false;
	if (affected_r)
		*affected_r = affected;
	return true;
}

bool
db_run_rows(struct db *db, const char *sql, const struct db_value *values, gsize columns,
    gsize rows, guint64 *affected_r, GError **error)
{
	guint64 affected = 0;

	while (rows > 0) {
		gsize some = db_batch_fill(values, columns, rows);
		if (!run_batch(db, sql, values, columns, some, &affected, error))
			return false;
		values += some * columns;
		rows -= some;
	}
	if (affected_r)
		*affected_r = affected;
	return true;
}

struct db_rows *
db_select(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error)
{
	AUTO(db_batch) batch = db_batch_new(values, count, 1);
	MYSQL_STMT *statement = run(db, sql, batch, db_handle_failed, error);

	if (!statement)
		return NULL;
	g_assert(mysql_stmt_field_count(statement) > 0);
	struct db_rows *rows = db_rows_read(db, statement, sql, error);
	mysql_stmt_free_result(statement);
	return rows;
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
	if (!db_handle_ready(db, error))
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
