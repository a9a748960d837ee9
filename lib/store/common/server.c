/* SPDX-License-Identifier: MIT */
/* Reads the database server's version and settings, for posthouse doctor. */
#include "store/common/server.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "db/statement.h"
#include "store/domain/domain.h"
#include "store/email/key.h"

/* The routes of all streams in a table. */
#define ROUTES_OF_STREAM(table, of_domain, stream, column)                                         \
	"SELECT " of_domain " AS of_domain, id, " stream " AS stream, name, " column               \
	" AS relays FROM " table
#define ROUTES_OF(table, of_domain)                                                                \
	ROUTES_OF_STREAM(table, of_domain, "0", "relays")                                          \
	" UNION ALL " ROUTES_OF_STREAM(                                                            \
	    table, of_domain, "1", "relays_transactional") " UNION ALL " ROUTES_OF_STREAM(table,   \
	    of_domain, "2", "relays_automation") " UNION ALL " ROUTES_OF_STREAM(table, of_domain,  \
	    "3", "relays_broadcast")

enum { READ, COUNT, GRANTS, DATABASE, DOMAINS, ROUTES, USER, LOWER_SENDER, LOOSE_KEYS };
/* System-wide: COUNT, DOMAINS, ROUTES, USER, LOOSE_KEYS. The operator asks for all workspaces. */
static const char *const sql[] = {
    [READ] = "SELECT @@version, @@default_storage_engine,"
	     " CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS INTEGER), @@max_allowed_packet,"
	     " @@innodb_flush_log_at_trx_commit, @@log_bin, @@sync_binlog,"
	     " @@binlog_format = 'STATEMENT',"
	     " FIND_IN_SET('STRICT_ALL_TABLES', @@sql_mode) > 0, @@read_only",
    [COUNT] = "SELECT (SELECT COUNT(*) FROM workspace),"
	      " (SELECT COUNT(*) FROM api_key WHERE revoked IS NULL AND (expires IS NULL OR "
	      "expires > ?)),"
	      " (SELECT COUNT(*) FROM domain WHERE trusted = 1 OR status IN (?, ?))",
    [GRANTS] = "SHOW GRANTS",
    [DATABASE] = "SELECT DATABASE()",
    [DOMAINS] = "SELECT d.id, d.workspace_id, d.name, d.trusted,"
		" d.trusted = 1 OR d.status IN (?, ?), COALESCE(d.relays, w.relays),"
		" d.return_path"
		" FROM domain d JOIN workspace w ON w.id = d.workspace_id ORDER BY d.id",
    [ROUTES] = "SELECT name, relays FROM (" ROUTES_OF("workspace", "0") " UNION ALL " ROUTES_OF(
	"domain", "1") ") routes WHERE relays IS NOT NULL ORDER BY of_domain, id, stream",
    [USER] = "SELECT workspace_id, id FROM user WHERE removed IS NULL ORDER BY id LIMIT 1",
    [LOWER_SENDER] =
	"SELECT e.sender FROM (SELECT sender, domain_id FROM email"
	" " STORE_EMAIL_BY_TIME " WHERE workspace_id = ? ORDER BY id DESC LIMIT 10000) e"
	" WHERE e.domain_id = ? AND (e.sender LIKE CONCAT('%@%.', ?)"
	" OR e.sender LIKE CONCAT('%@%.', ?, '>')) LIMIT 1",
    [LOOSE_KEYS] = "SELECT k.id, k.name, w.name FROM api_key k"
		   " JOIN user u ON u.id = k.user_id AND u.removed IS NOT NULL"
		   " JOIN workspace w ON w.id = k.workspace_id"
		   " WHERE k.revoked IS NULL AND (k.expires IS NULL OR k.expires > ?)"
		   " ORDER BY k.id LIMIT ?",
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
	READ_STRICT,
	READ_READ_ONLY
};

/* The columns of COUNT. */
enum { COUNT_WORKSPACES, COUNT_KEYS, COUNT_DOMAINS };

/* The columns of GRANTS and DATABASE. */
enum { GRANTS_LINE };
enum { DATABASE_NAME };

/* The columns of DOMAINS. */
enum {
	DOMAINS_ID,
	DOMAINS_WORKSPACE,
	DOMAINS_NAME,
	DOMAINS_TRUSTED,
	DOMAINS_MAY_SEND,
	DOMAINS_ROUTE,
	DOMAINS_RETURN_PATH
};

/* The columns of ROUTES. */
enum { ROUTES_WHOSE, ROUTES_NAMES };

/* The columns of LOOSE_KEYS. */
enum { KEYS_ID, KEYS_NAME, KEYS_WORKSPACE };

/* The columns of USER. */
enum { USER_WORKSPACE, USER_ID };

/* The column of LOWER_SENDER. */
enum { LOWER_SENDER_TEXT };

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
	server->read_only = db_rows_int(rows, READ_READ_ONLY) != 0;
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

static const char *const rights[] = {
    [RIGHT_SELECT] = "SELECT",
    [RIGHT_INSERT] = "INSERT",
    [RIGHT_UPDATE] = "UPDATE",
    [RIGHT_DELETE] = "DELETE",
    [RIGHT_CREATE] = "CREATE",
    [RIGHT_ALTER] = "ALTER",
    [RIGHT_INDEX] = "INDEX",
    [RIGHT_REFERENCES] = "REFERENCES",
    [RIGHT_READ_ONLY_ADMIN] = "READ ONLY ADMIN",
};

const char *
store_right_name(enum store_right right)
{
	return rights[right];
}

/* Whether a pattern of GRANT is for the database: % is any text, _ any character, \ takes a
   character as it is, and `` is one backquote. */
static bool
server_fits(const char *pattern, const char *name)
{
	if (!*pattern)
		return !*name;
	if (*pattern == '%')
		return server_fits(pattern + 1, name) || (*name && server_fits(pattern, name + 1));
	if (*pattern == '_')
		return *name && server_fits(pattern + 1, name + 1);
	if (*pattern == '\\' && pattern[1])
		pattern++;
	return *pattern == *name && server_fits(pattern + 1, name + 1);
}

/* Whether a grant on object, such as *.* or `name`.*, is one on the whole database. */
static bool
server_is_on(const char *object, const char *database)
{
	const char *end = g_str_has_prefix(object, "`") ? strstr(object, "`.* ") : NULL;

	if (g_str_has_prefix(object, "*.* "))
		return true;
	if (!end)
		return false;
	g_autofree char *quoted = g_strndup(object + 1, (gsize)(end - object - 1));
	g_auto(GStrv) parts = g_strsplit(quoted, "``", -1);
	g_autofree char *pattern = g_strjoinv("`", parts);
	return server_fits(pattern, database);
}

/* Adds the rights that a line of SHOW GRANTS gives on a database. */
static void
read_grant(const char *grant, const char *database, bool has[RIGHT_COUNT])
{
	const char *on = strstr(grant, " ON ");

	if (!g_str_has_prefix(grant, "GRANT ") || !on ||
	    !server_is_on(on + strlen(" ON "), database))
		return;
	g_autofree char *list =
	    g_strndup(grant + strlen("GRANT "), (gsize)(on - grant) - strlen("GRANT "));
	g_auto(GStrv) words = g_strsplit(list, ", ", -1);
	bool is_global = g_str_has_prefix(on + strlen(" ON "), "*.* ");
	for (guint i = 0; i < (is_global ? RIGHT_COUNT : RIGHT_READ_ONLY_ADMIN); i++)
		has[i] = has[i] || g_strv_contains((const char *const *)words, rights[i]) ||
			 g_strv_contains((const char *const *)words, "ALL PRIVILEGES");
}

bool
store_server_rights(struct db *db, bool has_r[RIGHT_COUNT], GError **error)
{
	AUTO(db_rows) name = db_select(db, sql[DATABASE], NULL, 0, error);

	if (!name || !db_rows_next(name))
		return false;
	g_autofree char *database = g_strdup(db_rows_text(name, DATABASE_NAME));
	AUTO(db_rows) rows = db_select(db, sql[GRANTS], NULL, 0, error);
	if (!rows)
		return false;
	base_array_clear(has_r, RIGHT_COUNT, sizeof(*has_r));
	while (db_rows_next(rows))
		read_grant(db_rows_text(rows, GRANTS_LINE), database, has_r);
	return true;
}

static void
server_free_domain(void *data)
{
	struct store_server_domain *domain = data;

	g_free(domain->name);
	g_free(domain->route);
	g_free(domain->return_path);
	g_free(domain);
}

GPtrArray *
store_server_domains(struct db *db, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[DOMAINS],
	    DB_VALUES(db_int(DOMAIN_SUCCESS), db_int(DOMAIN_TEMPORARY_FAILURE)), error);

	if (!rows)
		return NULL;
	GPtrArray *domains = g_ptr_array_new_with_free_func(server_free_domain);
	while (db_rows_next(rows)) {
		struct store_server_domain *domain = g_new0(struct store_server_domain, 1);

		db_rows_id(rows, DOMAINS_ID, &domain->id);
		db_rows_id(rows, DOMAINS_WORKSPACE, &domain->workspace_id);
		domain->name = g_strdup(db_rows_text(rows, DOMAINS_NAME));
		domain->trusted = db_rows_int(rows, DOMAINS_TRUSTED) != 0;
		domain->may_send = db_rows_int(rows, DOMAINS_MAY_SEND) != 0;
		domain->route = g_strdup(db_rows_text(rows, DOMAINS_ROUTE));
		domain->return_path = g_strdup(db_rows_text(rows, DOMAINS_RETURN_PATH));
		g_ptr_array_add(domains, domain);
	}
	return domains;
}

static void
free_route(void *data)
{
	struct store_server_route *route = data;

	g_free(route->whose);
	g_free(route->names);
	g_free(route);
}

GPtrArray *
store_server_routes(struct db *db, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[ROUTES], NULL, 0, error);

	if (!rows)
		return NULL;
	GPtrArray *routes = g_ptr_array_new_with_free_func(free_route);
	while (db_rows_next(rows)) {
		struct store_server_route *route = g_new0(struct store_server_route, 1);

		route->whose = g_strdup(db_rows_text(rows, ROUTES_WHOSE));
		route->names = g_strdup(db_rows_text(rows, ROUTES_NAMES));
		g_ptr_array_add(routes, route);
	}
	return routes;
}

bool
store_server_user(struct db *db, struct base_id *workspace_r, struct base_id *user_r, bool *found_r,
    GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[USER], NULL, 0, error);

	if (!rows)
		return false;
	*found_r = db_rows_next(rows);
	if (*found_r) {
		db_rows_id(rows, USER_WORKSPACE, workspace_r);
		db_rows_id(rows, USER_ID, user_r);
	}
	return true;
}

bool
store_server_lower_sender(
    struct db *db, const struct store_server_domain *domain, char **sender_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LOWER_SENDER],
	    DB_VALUES(db_id(&domain->workspace_id), db_id(&domain->id), db_text(domain->name),
		db_text(domain->name)),
	    error);

	*sender_r = NULL;
	if (!rows)
		return false;
	if (db_rows_next(rows))
		*sender_r = g_strdup(db_rows_text(rows, LOWER_SENDER_TEXT));
	return true;
}

static void
server_free_key(void *data)
{
	struct store_server_key *key = data;

	g_free(key->name);
	g_free(key->workspace);
	g_free(key);
}

GPtrArray *
store_server_loose_keys(struct db *db, gint64 now, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LOOSE_KEYS], DB_VALUES(db_int(now), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *keys = g_ptr_array_new_with_free_func(server_free_key);
	while (db_rows_next(rows)) {
		struct store_server_key *key = g_new0(struct store_server_key, 1);

		db_rows_id(rows, KEYS_ID, &key->id);
		key->name = g_strdup(db_rows_text(rows, KEYS_NAME));
		key->workspace = g_strdup(db_rows_text(rows, KEYS_WORKSPACE));
		g_ptr_array_add(keys, key);
	}
	return keys;
}
