/* SPDX-License-Identifier: MIT */
/* What the files of this room share of a connection: its state after failures, and plain commands.
 */
#include "db/handle.h"

#include <string.h>

#include "base/error.h"

bool
db_handle_ready(struct db *db, GError **error)
{
	if (!db->dead && !db->undone && !db->denied)
		return true;
	if (db->denied) {
		g_set_error_literal(
		    error, PH_ERROR, PH_ERROR_FORBIDDEN, "This is not allowed any more");
		return false;
	}
	g_set_error_literal(error, PH_ERROR, PH_ERROR_TEMPORARY,
	    db->dead ? "The connection to the database was lost"
		     : "The database has ended the transaction");
	return false;
}

bool
db_handle_failed(struct db *db, MYSQL_STMT *statement, const char *sql, GError **error)
{
	/* A failure while rows are read is told by the connection alone. */
	if (statement && mysql_stmt_errno(statement) != 0)
		db_failure_read(&db->failure, mysql_stmt_errno(statement),
		    mysql_stmt_sqlstate(statement), mysql_stmt_error(statement), sql, error);
	else
		db_failure_read(&db->failure, mysql_errno(db->mysql), mysql_sqlstate(db->mysql),
		    mysql_error(db->mysql), sql, error);
	if (db->failure.dead)
		db->dead = true;
	db->denied |= db->failure.cause == DB_CAUSE_DENIED;
	/* What a body did after them might be committed by itself: a deadlock ends the transaction,
	   and a lock wait does on a server with innodb_rollback_on_timeout. */
	if (db->in_transaction && (db->dead || db_failure_passes(&db->failure)))
		db->undone = true;
	return false;
}

bool
db_handle_doubted(struct db *db, MYSQL_STMT *statement, const char *sql, GError **error)
{
	g_autoptr(GError) failure = NULL;

	db_handle_failed(db, statement, sql, &failure);
	if (db->in_transaction || !db->failure.unanswered)
		g_propagate_error(error, g_steal_pointer(&failure));
	else
		g_set_error(error, PH_ERROR, PH_ERROR_UNCERTAIN,
		    "The database did not answer whether it did it: %s", failure->message);
	return false;
}

bool
db_handle_command(struct db *db, const char *sql, GError **error)
{
	if (!db_handle_ready(db, error))
		return false;
	if (mysql_real_query(db->mysql, sql, strlen(sql)) != 0)
		return db_handle_failed(db, NULL, sql, error);
	return true;
}

bool
db_handle_number(struct db *db, const char *sql, guint64 *number_r, GError **error)
{
	if (!db_handle_command(db, sql, error))
		return false;
	MYSQL_RES *result = mysql_store_result(db->mysql);
	if (!result)
		return db_handle_failed(db, NULL, sql, error);
	MYSQL_ROW row = mysql_fetch_row(result);
	*number_r = row && row[0] ? g_ascii_strtoull(row[0], NULL, 10) : 0;
	mysql_free_result(result);
	return true;
}

bool
db_handle_clear(struct db *db, GError **error)
{
	return !db->in_transaction || db->begun || !db->touched ||
	       db_handle_command(db, "ROLLBACK", error);
}
