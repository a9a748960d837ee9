/* SPDX-License-Identifier: MIT */
/* The state of a connection after failures, and plain commands. */
#include "db/handle.h"

#include <ma_pvio.h>
#include <string.h>

#include "base/error.h"

/* The library takes the option of mysql_options when it connects, and no later one. */
void
db_handle_wait(struct db *db, guint seconds)
{
	MARIADB_PVIO *pvio = db->on->mysql->net.pvio;

	if (db->on->wait_s == seconds || !pvio)
		return;
	pvio->methods->set_timeout(pvio, PVIO_READ_TIMEOUT, (int)seconds);
	db->on->wait_s = seconds;
}

bool
db_handle_ready(struct db *db, GError **error)
{
	if (!db->on->dead && !db->on->undone && !db->denied)
		return true;
	if (db->denied) {
		return base_fail(error, PH_ERROR_FORBIDDEN, "This is not allowed any more");
	}
	return base_fail(error, PH_ERROR_TEMPORARY, "%s",
	    db->on->dead ? "The connection to the database was lost"
			 : "The database has ended the transaction");
}

bool
db_handle_failed(struct db *db, MYSQL_STMT *statement, const char *sql, GError **error)
{
	/* A failure while rows are read is recorded at the connection only. */
	if (statement && mysql_stmt_errno(statement) != 0)
		db_failure_read(&db->on->failure, mysql_stmt_errno(statement),
		    mysql_stmt_sqlstate(statement), mysql_stmt_error(statement), sql, error);
	else
		db_failure_read(&db->on->failure, mysql_errno(db->on->mysql),
		    mysql_sqlstate(db->on->mysql), mysql_error(db->on->mysql), sql, error);
	if (db->on->failure.dead)
		db->on->dead = true;
	db->denied |= db->on->failure.cause == DB_CAUSE_DENIED;
	/* A deadlock ends the transaction, and so does a lock wait on a server with
	   innodb_rollback_on_timeout. Later statements of the body would then be committed by
	   themselves, so refuse them. */
	if (db->on->in_transaction && (db->on->dead || db_failure_passes(&db->on->failure)))
		db->on->undone = true;
	return false;
}

bool
db_handle_doubted(struct db *db, MYSQL_STMT *statement, const char *sql, GError **error)
{
	g_autoptr(GError) failure = NULL;

	db_handle_failed(db, statement, sql, &failure);
	if (db->on->in_transaction || !db->on->failure.unanswered)
		g_propagate_error(error, g_steal_pointer(&failure));
	else
		base_fail(error, PH_ERROR_UNCERTAIN,
		    "The database did not confirm the statement: %s", failure->message);
	return false;
}

bool
db_handle_command(struct db *db, const char *sql, GError **error)
{
	if (!db_handle_ready(db, error))
		return false;
	db_handle_wait(db, DB_ANSWER_S);
	if (mysql_real_query(db->on->mysql, sql, strlen(sql)) != 0)
		return db_handle_failed(db, NULL, sql, error);
	return true;
}

bool
db_handle_number(struct db *db, const char *sql, guint64 *number_r, GError **error)
{
	if (!db_handle_command(db, sql, error))
		return false;
	MYSQL_RES *result = mysql_store_result(db->on->mysql);
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
	return !db->on->in_transaction || db->on->begun || !db->on->touched ||
	       db_handle_command(db, "ROLLBACK", error);
}
