/* SPDX-License-Identifier: MIT */
/* Prepares statements, each once for a connection, and executes them. */
#include "db/execute.h"

#include <mysqld_error.h>
#include <string.h>

#include "base/error.h"
#include "db/batch.h"
#include "db/handle.h"

/* Where all connections together have prepared too many, ours go, and those in use come again. */
static bool
prepare(struct db *db, MYSQL_STMT *statement, const char *sql)
{
	if (mysql_stmt_prepare(statement, sql, strlen(sql)) == 0)
		return true;
	if (mysql_stmt_errno(statement) != ER_MAX_PREPARED_STMT_COUNT_REACHED)
		return false;
	g_hash_table_remove_all(db->statements);
	return mysql_stmt_prepare(statement, sql, strlen(sql)) == 0;
}

static MYSQL_STMT *
prepared(struct db *db, const char *sql, GError **error)
{
	MYSQL_STMT *statement = g_hash_table_lookup(db->statements, sql);

	if (statement)
		return statement;
	statement = mysql_stmt_init(db->mysql);
	if (!statement)
		g_error("out of memory");
	if (!prepare(db, statement, sql)) {
		db_handle_failed(db, statement, sql, error);
		mysql_stmt_close(statement);
		return NULL;
	}
	g_hash_table_insert(db->statements, (gpointer)sql, statement);
	return statement;
}

/* A server that gets more than it takes just hangs up, and that would look like a matter of the
   network, to be tried again for ever. So the connection asks once what it takes, at the first
   large statement. */
static bool
fits(struct db *db, const struct db_batch *batch, GError **error)
{
	if (batch->size <= BATCH_SIZE)
		return true;
	if (db->packet_size == 0 &&
	    !db_handle_number(db, "SELECT @@max_allowed_packet", &db->packet_size, error))
		return false;
	if (batch->size <= db->packet_size)
		return true;
	db->failure = (struct db_failure){.cause = DB_CAUSE_OTHER};
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
	    "The database takes %" G_GUINT64_FORMAT
	    " bytes at once, and this needs %" G_GSIZE_FORMAT
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

MYSQL_STMT *
db_execute(struct db *db, const char *sql, const struct db_batch *batch, db_execute_failed failed,
    GError **error)
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
