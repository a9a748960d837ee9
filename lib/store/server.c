/* SPDX-License-Identifier: MIT */
/* Reads the database server's version and settings, for posthouse doctor. */
#include "store/server.h"

#include <stdio.h>
#include <string.h>

#include "db/statement.h"
#include "store/domain.h"

enum { READ, COUNT };
/* System-wide: COUNT. The operator asks for all workspaces. */
static const char *const sql[] = {
    [READ] = "SELECT @@version, @@default_storage_engine,"
	     " CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS INTEGER), @@max_allowed_packet,"
	     " @@innodb_flush_log_at_trx_commit, @@log_bin, @@sync_binlog,"
	     " @@binlog_format = 'STATEMENT',"
	     " FIND_IN_SET('STRICT_ALL_TABLES', @@sql_mode) > 0",
    [COUNT] = "SELECT (SELECT COUNT(*) FROM workspace),"
	      " (SELECT COUNT(*) FROM api_key WHERE revoked IS NULL AND (expires IS NULL OR "
	      "expires > ?)),"
	      " (SELECT COUNT(*) FROM domain WHERE trusted = 1 OR status IN (?, ?))",
};

/* The columns of READ. */
enum {
	READ_VERSION,
	READ_ENGINE,
	READ_CLOCK,
	READ_PACKET,
	READ_FLUSH,
	READ_BINLOG,
	READ_SYNC_BINLOG,
	READ_STATEMENTS,
	READ_STRICT
};

/* The columns of COUNT. */
enum { COUNT_WORKSPACES, COUNT_KEYS, COUNT_DOMAINS };

void
store_server_free(struct store_server *server)
{
	g_free(server->version);
	g_free(server->engine);
	g_free(server);
}

struct store_server *
store_server_read(struct db *db, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[READ], NULL, 0, error);

	if (!rows || !db_rows_next(rows))
		return NULL;
	struct store_server *server = g_new0(struct store_server, 1);
	server->version = g_strdup(db_rows_text(rows, READ_VERSION));
	server->engine = g_strdup(db_rows_text(rows, READ_ENGINE));
	server->clock = db_rows_int(rows, READ_CLOCK);
	server->packet = db_rows_int(rows, READ_PACKET);
	server->flush = db_rows_int(rows, READ_FLUSH);
	server->binlog = db_rows_int(rows, READ_BINLOG) != 0;
	server->sync_binlog = db_rows_int(rows, READ_SYNC_BINLOG);
	server->statements = db_rows_int(rows, READ_STATEMENTS) != 0;
	server->strict = db_rows_int(rows, READ_STRICT) != 0;
	return server;
}

guint
store_server_number(const struct store_server *server)
{
	guint major, minor, patch;

	if (!strstr(server->version, "MariaDB") ||
	    sscanf(server->version, "%u.%u.%u", &major, &minor, &patch) != 3)
		return 0;
	return major * 10000 + minor * 100 + patch;
}

bool
store_server_count(struct db *db, gint64 now, struct store_inventory *inventory_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[COUNT],
	    DB_VALUES(db_int(now), db_int(DOMAIN_SUCCESS), db_int(DOMAIN_TEMPORARY_FAILURE)),
	    error);

	if (!rows || !db_rows_next(rows))
		return false;
	*inventory_r = (struct store_inventory){
	    .workspaces = db_rows_int(rows, COUNT_WORKSPACES),
	    .keys = db_rows_int(rows, COUNT_KEYS),
	    .domains = db_rows_int(rows, COUNT_DOMAINS),
	};
	return true;
}
