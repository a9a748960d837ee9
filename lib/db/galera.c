/* SPDX-License-Identifier: MIT */
/* Makes sure that a transaction on a Galera node is one transaction. */
#include "db/galera.h"

#include <mysql.h>
#include <mysqld_error.h>
#include <string.h>

#include "db/deferred.h"
#include "db/handle.h"
#include "db/precondition.h"

bool
db_galera_ask(struct db *db, GError **error)
{
	g_autoptr(GError) failure = NULL;
	guint64 on = 0;

	/* A server that is built without Galera does not know the variable. */
	if (!db_handle_number(db, "SELECT @@wsrep_on", &on, &failure) &&
	    mysql_errno(db->on->mysql) != ER_UNKNOWN_SYSTEM_VARIABLE) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	db->on->galera = on != 0;
	return true;
}

bool
db_galera_begin(struct db *db, GError **error)
{
	/* A guard inside the transaction would keep its row locks until the end. */
	if (!db_precondition_settle(db, error))
		return false;
	if (db_handle_command(db, "SET autocommit = 0", error) &&
	    db_handle_command(db, "SAVEPOINT begun", error))
		return true;
	db_galera_end(db);
	return false;
}

bool
db_galera_settle(struct db *db, GError **error)
{
	return db_deferred_run(db, error) &&
	       db_handle_command(db, "RELEASE SAVEPOINT begun", error);
}

void
db_galera_end(struct db *db)
{
	static const char sql[] = "SET autocommit = 1";

	if (!db->on->dead && mysql_real_query(db->on->mysql, sql, strlen(sql)) != 0)
		db->on->dead = true;
}
