/* SPDX-License-Identifier: MIT */
/* Stores routes, and finds those of a domain that receives. */
#include "store/received/route.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/received.h"
#include "config/settings.h"
#include "db/columns.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/domain/status.h"

#define ROUTE_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "r.id")                                                                          \
	NEXT(workspace_id, "r.workspace_id")                                                       \
	NEXT(domain_id, "r.domain_id")                                                             \
	NEXT(pattern, "r.pattern")                                                                 \
	NEXT(action, "r.action")                                                                   \
	NEXT(forward_to, "r.forward_to")                                                           \
	NEXT(reason, "r.reason")                                                                   \
	NEXT(created, "r.created")
#define COLUMNS DB_COLUMNS_SQL(ROUTE_COLUMNS)

#define QUOTA_COLUMN(name)                                                                         \
	"(SELECT value FROM workspace_limit WHERE workspace_id = d.workspace_id"                   \
	" AND name = '" name "')"

enum { LIST, GET, THERE, LOCK, COUNT, ADD, CHANGE, REMOVE, BEGIN, BEGUN, FORGET, DOMAINS };
/* System-wide: DOMAINS. Incoming mail names no workspace. It has no ORDER BY: the server would make
   a file for the rows of each message, since they have a TEXT. */
static const char *const sql[] = {
    [LIST] = "SELECT " COLUMNS " FROM receiving_route r WHERE r.workspace_id = ?"
	     " AND r.domain_id = ? ORDER BY r.id",
    [GET] = "SELECT " COLUMNS " FROM receiving_route r WHERE r.workspace_id = ?"
	    " AND r.domain_id = ? AND r.id = ?",
    [THERE] = "SELECT id FROM domain WHERE id = ? AND workspace_id = ?",
    [LOCK] = "SELECT id FROM domain WHERE id = ? AND workspace_id = ? FOR UPDATE",
    [COUNT] = "SELECT COUNT(*) FROM receiving_route WHERE workspace_id = ? AND domain_id = ?",
    [ADD] = "INSERT INTO receiving_route (id, workspace_id, domain_id, pattern, action, forward_to,"
	    " reason, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [CHANGE] = "UPDATE receiving_route SET pattern = ?, action = ?, forward_to = ?, reason = ?"
	       " WHERE workspace_id = ? AND domain_id = ? AND id = ?",
    [REMOVE] = "DELETE FROM receiving_route WHERE workspace_id = ? AND domain_id = ? AND id = ?",
    [BEGIN] = "INSERT IGNORE INTO receiving_route (id, workspace_id, domain_id, pattern, action,"
	      " created) SELECT ?, d.workspace_id, d.id, '*', ?, ? FROM domain d"
	      " WHERE d.workspace_id = ? AND d.id = ? AND d.received_since IS NULL",
    [BEGUN] = "UPDATE domain SET received_since = COALESCE(received_since, ?)"
	      " WHERE workspace_id = ? AND id = ?",
    [FORGET] = "DELETE FROM receiving_route WHERE workspace_id = ? AND domain_id = ?",
    [DOMAINS] =
	"SELECT " COLUMNS ", d.id, d.workspace_id, d.name,"
	" d.trusted = 1 OR d.status IN (" DOMAIN_SUCCESS_SQL ", " DOMAIN_TEMPORARY_FAILURE_SQL
	"), " QUOTA_COLUMN("received_per_day") ", " QUOTA_COLUMN(
	    "received_bytes") " FROM domain d"
			      " LEFT JOIN receiving_route r FORCE INDEX (pattern) ON r.domain_id = "
			      "d.id"
			      " WHERE d.name = ? AND d.receiving = 1",
};

/* The columns of DOMAINS: the route, then those behind COLUMNS. */
enum {
	DOMAINS_ROUTE,
	DOMAINS_ID = DB_COLUMNS_END(ROUTE_COLUMNS),
	DOMAINS_WORKSPACE,
	DOMAINS_NAME,
	DOMAINS_VERIFIED,
	DOMAINS_MESSAGES,
	DOMAINS_BYTES
};

DB_COLUMNS_MAKER(receiving_read_route, struct store_receiving_route, ROUTE_COLUMNS)
DB_COLUMNS_READER(receiving_read_joined, struct store_receiving_route, ROUTE_COLUMNS)

static const char *const action_names[] = {
    [RECEIVING_STORE] = "store",
    [RECEIVING_FORWARD] = "forward",
    [RECEIVING_DROP] = "drop",
    [RECEIVING_REFUSE] = "refuse",
};

const char *
store_receiving_action_name(enum store_receiving_action action)
{
	return action_names[action];
}

enum store_receiving_action
store_receiving_action(const char *name)
{
	for (guint i = RECEIVING_STORE; i <= RECEIVING_REFUSE; i++)
		if (strcmp(action_names[i], name) == 0)
			return (enum store_receiving_action)i;
	return 0;
}

void
store_receiving_route_free(struct store_receiving_route *route)
{
	g_free(route->pattern);
	g_free(route->forward_to);
	g_free(route->reason);
	g_free(route);
}

void
store_receiving_domain_free(struct store_receiving_domain *domain)
{
	g_free(domain->name);
	g_ptr_array_unref(domain->routes);
	g_free(domain);
}

static bool
receiving_fail_route(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Route not found");
}

/* Locks the domain. NOT_FOUND. */
static bool
receiving_lock(
    struct db *db, const struct base_id *workspace, const struct base_id *domain, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LOCK], DB_VALUES(db_id(domain), db_id(workspace)), error);

	if (!rows)
		return false;
	return db_rows_next(rows) || base_fail(error, PH_ERROR_NOT_FOUND, "Domain not found");
}

GPtrArray *
store_receiving_route_list(
    struct db *db, const struct base_id *workspace, const struct base_id *domain, GError **error)
{
	AUTO(db_rows)
	found = db_select(db, sql[THERE], DB_VALUES(db_id(domain), db_id(workspace)), error);

	if (!found)
		return NULL;
	if (!db_rows_next(found)) {
		base_fail(error, PH_ERROR_NOT_FOUND, "Domain not found");
		return NULL;
	}
	AUTO(db_rows)
	rows = db_select(db, sql[LIST], DB_VALUES(db_id(workspace), db_id(domain)), error);
	if (!rows)
		return NULL;
	GPtrArray *routes = g_ptr_array_new_with_free_func(store_receiving_route_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(routes, receiving_read_route(rows));
	return routes;
}

struct store_receiving_route *
store_receiving_route_get(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows =
	    db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_id(domain), db_id(id)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return receiving_read_route(rows);
	receiving_fail_route(error);
	return NULL;
}

static bool
receiving_has_room(struct db *db, const struct store_receiving_route *route, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[COUNT],
	    DB_VALUES(db_id(&route->workspace_id), db_id(&route->domain_id)), error);

	if (!rows)
		return false;
	db_rows_next(rows);
	return db_rows_int(rows, DB_ROWS_ONLY) < LIMIT_RECEIVED_ROUTES ||
	       base_fail(error, PH_ERROR_CONFLICT, "Limit reached: at most %d routes",
		   LIMIT_RECEIVED_ROUTES);
}

static bool
receiving_route_insert(struct db *db, const struct store_receiving_route *route, GError **error)
{
	return db_run(db, sql[ADD],
	    DB_VALUES(db_id(&route->id), db_id(&route->workspace_id), db_id(&route->domain_id),
		db_text(route->pattern), db_int(route->action), db_text(route->forward_to),
		db_text(route->reason), db_int(route->created)),
	    NULL, error);
}

/* Turns the conflict of a unique key into a sentence. */
static bool
receiving_conflict(struct db *db, GError *failure, GError **error)
{
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT) &&
	    db_cause(db) != DB_CAUSE_NONE) {
		g_error_free(failure);
		return base_fail(error, PH_ERROR_CONFLICT, "Route already exists");
	}
	g_propagate_error(error, failure);
	return false;
}

static bool
receiving_add_body(struct db *db, void *context, GError **error)
{
	const struct store_receiving_route *route = context;

	return receiving_lock(db, &route->workspace_id, &route->domain_id, error) &&
	       receiving_has_room(db, route, error) && receiving_route_insert(db, route, error);
}

bool
store_receiving_route_add(struct db *db, const struct store_receiving_route *route, GError **error)
{
	GError *failure = NULL;

	return db_transact(db, receiving_add_body, (void *)route, &failure) ||
	       receiving_conflict(db, failure, error);
}

bool
store_receiving_route_change(
    struct db *db, const struct store_receiving_route *route, GError **error)
{
	GError *failure = NULL;
	guint64 affected;

	if (!db_run(db, sql[CHANGE],
		DB_VALUES(db_text(route->pattern), db_int(route->action),
		    db_text(route->forward_to), db_text(route->reason), db_id(&route->workspace_id),
		    db_id(&route->domain_id), db_id(&route->id)),
		&affected, &failure))
		return receiving_conflict(db, failure, error);
	return affected > 0 || receiving_fail_route(error);
}

bool
store_receiving_route_remove(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, const struct base_id *id, GError **error)
{
	guint64 affected;

	return db_run(db, sql[REMOVE], DB_VALUES(db_id(workspace), db_id(domain), db_id(id)),
		   &affected, error) &&
	       (affected > 0 || receiving_fail_route(error));
}

bool
store_receiving_route_begin(
    struct db *db, const struct base_id *workspace, const struct base_id *domain, GError **error)
{
	struct base_id id = base_id_new();
	gint64 now = base_clock_now();

	return db_run(db, sql[BEGIN],
		   DB_VALUES(db_id(&id), db_int(RECEIVING_STORE), db_int(now), db_id(workspace),
		       db_id(domain)),
		   NULL, error) &&
	       db_run(db, sql[BEGUN], DB_VALUES(db_int(now), db_id(workspace), db_id(domain)), NULL,
		   error);
}

bool
store_receiving_route_forget(
    struct db *db, const struct base_id *workspace, const struct base_id *domain, GError **error)
{
	return db_run(db, sql[FORGET], DB_VALUES(db_id(workspace), db_id(domain)), NULL, error);
}

/* A limit of the workspace, else that of the settings. */
static gint64
receiving_read_limit(
    struct db *db, const struct db_rows *rows, guint column, enum config_setting setting)
{
	return db_rows_is_null(rows, column) ? config_settings_number(db_settings(db), setting)
					     : db_rows_int(rows, column);
}

static struct store_receiving_domain *
receiving_read_domain(struct db *db, const struct db_rows *rows)
{
	struct store_receiving_domain *domain = g_new0(struct store_receiving_domain, 1);

	db_rows_id(rows, DOMAINS_ID, &domain->id);
	db_rows_id(rows, DOMAINS_WORKSPACE, &domain->workspace_id);
	domain->name = g_strdup(db_rows_text(rows, DOMAINS_NAME));
	domain->verified = db_rows_int(rows, DOMAINS_VERIFIED) != 0;
	domain->quota.messages =
	    receiving_read_limit(db, rows, DOMAINS_MESSAGES, SETTING_LIMITS_RECEIVED_PER_DAY);
	domain->quota.bytes =
	    receiving_read_limit(db, rows, DOMAINS_BYTES, SETTING_LIMITS_RECEIVED_BYTES);
	domain->routes = g_ptr_array_new_with_free_func(store_receiving_route_destroy);
	return domain;
}

/* The domain of a row, which is added if it is not there. */
static struct store_receiving_domain *
receiving_domain_of(GPtrArray *domains, struct db *db, const struct db_rows *rows)
{
	struct base_id id;

	db_rows_id(rows, DOMAINS_ID, &id);
	for (guint i = 0; i < domains->len; i++) {
		struct store_receiving_domain *domain = domains->pdata[i];

		if (base_id_equal(&domain->id, &id))
			return domain;
	}
	g_ptr_array_add(domains, receiving_read_domain(db, rows));
	return domains->pdata[domains->len - 1];
}

/* Oldest first. */
static int
receiving_by_name(gconstpointer a, gconstpointer b)
{
	const struct store_receiving_domain *const *x = a, *const *y = b;

	return memcmp(&(*x)->id, &(*y)->id, sizeof((*x)->id));
}

GPtrArray *
store_receiving_domain_find(struct db *db, const char *name, GError **error)
{
	g_autoptr(GPtrArray) domains =
	    g_ptr_array_new_with_free_func(store_receiving_domain_destroy);

	/* The server refuses to compare non-ASCII text with an ASCII column. */
	if (!g_str_is_ascii(name))
		return g_steal_pointer(&domains);
	AUTO(db_rows) rows = db_select(db, sql[DOMAINS], DB_VALUES(db_text(name)), error);
	if (!rows)
		return NULL;
	while (db_rows_next(rows)) {
		struct store_receiving_domain *domain = receiving_domain_of(domains, db, rows);

		if (db_rows_is_null(rows, DOMAINS_ROUTE))
			continue;
		struct store_receiving_route *route = g_new0(struct store_receiving_route, 1);
		receiving_read_joined(rows, DOMAINS_ROUTE, route);
		g_ptr_array_add(domain->routes, route);
	}
	g_ptr_array_sort(domains, receiving_by_name);
	return g_steal_pointer(&domains);
}
