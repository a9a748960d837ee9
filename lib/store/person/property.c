/* SPDX-License-Identifier: MIT */
/* Creates, reads, changes and removes definitions of properties. */
#include "store/person/property.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"

#define PROPERTY_COLUMNS(FIRST, NEXT)                                                              \
	FIRST(key, "name")                                                                         \
	NEXT(type, "type")                                                                         \
	NEXT(value, "value")                                                                       \
	NEXT(created, "created")                                                                   \
	NEXT(updated, "updated")
#define ROWS "SELECT " DB_COLUMNS_SQL(PROPERTY_COLUMNS) " FROM property WHERE workspace_id = ?"

enum { COUNT, CREATE, LIST, GET, CHANGE, REMOVE };
static const char *const sql[] = {
    [COUNT] = "SELECT COUNT(*) FROM property WHERE workspace_id = ? FOR UPDATE",
    [CREATE] = "INSERT INTO property (workspace_id, name, type, value, created, updated)"
	       " VALUES (?, ?, ?, ?, ?, ?)",
    [LIST] = ROWS " ORDER BY name",
    [GET] = ROWS " AND name = ?",
    [CHANGE] = "UPDATE property SET value = ?, updated = ? WHERE workspace_id = ? AND name = ?",
    [REMOVE] = "DELETE FROM property WHERE workspace_id = ? AND name = ?",
};

const char *const store_property_types[] = {"string", "number", "boolean", "date", NULL};

void
store_property_free(struct store_property *property)
{
	g_free(property->key);
	g_free(property->value);
	g_free(property);
}

static bool
property_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Property not found");
}

static bool
property_create(struct db *db, void *context, GError **error)
{
	const struct store_property *p = context;
	AUTO(db_rows) rows = db_select(db, sql[COUNT], DB_VALUES(db_id(&p->workspace_id)), error);

	if (!rows)
		return false;
	if (db_rows_next(rows) && db_rows_int(rows, DB_ROWS_ONLY) >= LIMIT_PROPERTIES) {
		g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT,
		    "Limit reached: at most %d properties", LIMIT_PROPERTIES);
		return false;
	}
	return db_run(db, sql[CREATE],
	    DB_VALUES(db_id(&p->workspace_id), db_text(p->key), db_int(p->type), db_text(p->value),
		db_int(p->created), db_int(p->updated)),
	    NULL, error);
}

bool
store_property_create(struct db *db, struct store_property *property, GError **error)
{
	g_autoptr(GError) failure = NULL;

	property->created = property->updated = base_clock_now();
	if (db_transact(db, property_create, property, &failure))
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT) && db_cause_is_key(db, "PRIMARY"))
		return base_fail(error, PH_ERROR_CONFLICT, "Property already exists");
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

STORE_LISTING_READER(property_read_row, struct store_property, PROPERTY_COLUMNS)

GPtrArray *
store_property_list(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return NULL;
	GPtrArray *properties = g_ptr_array_new_with_free_func(store_property_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(properties, property_read_row(rows, workspace));
	return properties;
}

struct store_property *
store_property_get(struct db *db, const struct base_id *workspace, const char *key, GError **error)
{
	/* The server refuses to compare non-ASCII text with an ASCII column. */
	if (!g_str_is_ascii(key)) {
		property_missing(error);
		return NULL;
	}
	return store_listing_one(
	    db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_text(key)), error), workspace,
	    property_read_row, property_missing, error);
}

bool
store_property_change(struct db *db, struct store_property *property, GError **error)
{
	guint64 affected;

	property->updated = base_clock_now();
	return db_run(db, sql[CHANGE],
		   DB_VALUES(db_text(property->value), db_int(property->updated),
		       db_id(&property->workspace_id), db_text(property->key)),
		   &affected, error) &&
	       (affected > 0 || property_missing(error));
}

bool
store_property_remove(
    struct db *db, const struct base_id *workspace, const char *key, GError **error)
{
	guint64 affected;

	if (!g_str_is_ascii(key))
		return property_missing(error);
	return db_run(
		   db, sql[REMOVE], DB_VALUES(db_id(workspace), db_text(key)), &affected, error) &&
	       (affected > 0 || property_missing(error));
}
