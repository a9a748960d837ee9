/* SPDX-License-Identifier: MIT */
/* Reads the routes of domains and workspaces. */
#include "store/outbox/route.h"

#include "base/error.h"
#include "db/statement.h"
#include "store/email/email.h"

/* The routes of a stream, each once. */
#define ROUTES_OF(stream)                                                                          \
	"SELECT DISTINCT " STORE_STREAM_ROUTE(                                                     \
	    stream) " FROM workspace w LEFT JOIN domain d ON d.workspace_id = ? WHERE w.id = ?"

enum { ROUTES, OF_DOMAIN };
static const char *const sql[] = {
    [ROUTES] = ROUTES_OF(STREAM_TRANSACTIONAL_SQL) " UNION " ROUTES_OF(
	STREAM_AUTOMATION_SQL) " UNION " ROUTES_OF(STREAM_BROADCAST_SQL),
    [OF_DOMAIN] = "SELECT COALESCE(ELT(?, d.relays_transactional, d.relays_automation,"
		  " d.relays_broadcast), d.relays), COALESCE(ELT(?, w.relays_transactional,"
		  " w.relays_automation, w.relays_broadcast), w.relays) FROM domain d"
		  " LEFT JOIN workspace w ON w.id = d.workspace_id"
		  " WHERE d.workspace_id = ? AND d.id = ?",
};

/* The columns of OF_DOMAIN. */
enum { ITS_OWN, OF_WORKSPACE };

GPtrArray *
store_route_list(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[ROUTES],
	    DB_VALUES(db_id(workspace), db_id(workspace), db_id(workspace), db_id(workspace),
		db_id(workspace), db_id(workspace)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *routes = g_ptr_array_new_with_free_func(g_free);
	while (db_rows_next(rows))
		g_ptr_array_add(routes, g_strdup(db_rows_text(rows, DB_ROWS_ONLY)));
	return routes;
}

bool
store_route_of_domain(struct db *db, const struct base_id *workspace, const struct base_id *domain,
    enum store_stream stream, struct store_route *route_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[OF_DOMAIN],
	    DB_VALUES(db_int(stream), db_int(stream), db_id(workspace), db_id(domain)), error);

	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return base_fail(error, PH_ERROR_NOT_FOUND, "Domain not found");
	bool is_own = !db_rows_is_null(rows, ITS_OWN);
	route_r->source = is_own				 ? STORE_ROUTE_DOMAIN
			  : !db_rows_is_null(rows, OF_WORKSPACE) ? STORE_ROUTE_WORKSPACE
								 : STORE_ROUTE_DEFAULT;
	route_r->relays = g_strdup(db_rows_text(rows, is_own ? ITS_OWN : OF_WORKSPACE));
	return true;
}
