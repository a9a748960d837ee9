/* SPDX-License-Identifier: MIT */
/* Stores, reads, lists, changes and removes declared events. */
#include "store/automation/event_type.h"

#include "base/error.h"
#include "db/statement.h"
#include "store/common/listing.h"

#define EVENT_TYPE_COLUMNS(FIRST, NEXT)                                                            \
	FIRST(id, "id")                                                                            \
	NEXT(name, "name")                                                                         \
	NEXT(title, "title")                                                                       \
	NEXT(fields, "fields")                                                                     \
	NEXT(created, "created")                                                                   \
	NEXT(updated, "updated")
#define GET_BY(key)                                                                                \
	"SELECT " DB_COLUMNS_SQL(EVENT_TYPE_COLUMNS) " FROM event_type"                            \
						     " WHERE workspace_id = ? AND " key

enum { INSERT, GET, NAMED, FIELDS, CHANGE, REMOVE };
static const char *const sql[] = {
    [INSERT] = "INSERT INTO event_type (id, workspace_id, name, title, fields, created, updated)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?)",
    [GET] = GET_BY("id = ?"),
    [NAMED] = GET_BY("name = ?"),
    [FIELDS] = "SELECT fields FROM event_type WHERE workspace_id = ? AND name = ?",
    [CHANGE] = "UPDATE event_type SET fields = ?, updated = ? WHERE workspace_id = ? AND id = ?",
    [REMOVE] = "DELETE FROM event_type WHERE workspace_id = ? AND id = ?",
};

void
store_event_type_free(struct store_event_type *type)
{
	g_free(type->name);
	g_free(type->title);
	g_free(type->fields);
	g_free(type);
}

static bool
event_type_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Event not found");
}

bool
store_event_type_insert(struct db *db, const struct store_event_type *t, GError **error)
{
	return db_run(db, sql[INSERT],
	    DB_VALUES(db_id(&t->id), db_id(&t->workspace_id), db_text(t->name), db_text(t->title),
		db_text(t->fields), db_int(t->created), db_int(t->updated)),
	    NULL, error);
}

STORE_LISTING_READER(event_type_read_row, struct store_event_type, EVENT_TYPE_COLUMNS)

struct store_event_type *
store_event_type_get(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const char *name, GError **error)
{
	return store_listing_one(
	    id ? db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_id(id)), error)
	       : db_select(db, sql[NAMED], DB_VALUES(db_id(workspace), db_text(name)), error),
	    workspace, event_type_read_row, event_type_missing, error);
}

bool
store_event_type_fields(struct db *db, const struct base_id *workspace, const char *name,
    char **fields_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[FIELDS], DB_VALUES(db_id(workspace), db_text(name)), error);

	if (!rows)
		return false;
	*fields_r = db_rows_next(rows) ? g_strdup(db_rows_text(rows, DB_ROWS_ONLY)) : NULL;
	return true;
}

STORE_LISTING(listing, event_type_read_row, store_event_type_destroy,
    "SELECT " DB_COLUMNS_SQL(EVENT_TYPE_COLUMNS) " FROM event_type WHERE workspace_id = ?", "id");

GPtrArray *
store_event_type_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &listing, workspace, page, error);
}

bool
store_event_type_change(struct db *db, const struct store_event_type *t, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[CHANGE],
		DB_VALUES(
		    db_text(t->fields), db_int(t->updated), db_id(&t->workspace_id), db_id(&t->id)),
		&affected, error))
		return false;
	return affected > 0 || event_type_missing(error);
}

bool
store_event_type_remove(struct db *db, const struct store_event_type *t, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[REMOVE], DB_VALUES(db_id(&t->workspace_id), db_id(&t->id)), &affected,
		error))
		return false;
	return affected > 0 || event_type_missing(error);
}
