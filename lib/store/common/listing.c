/* SPDX-License-Identifier: MIT */
/* Reads pages of lists, and finds rows by name. */
#include "store/common/listing.h"

#include "base/error.h"
#include "base/id.h"
#include "db/statement.h"

struct db_value
store_listing_before(const struct base_id *before)
{
	static const struct base_id last = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

	return db_id(before ? before : &last);
}

void *
store_listing_one(struct db_rows *rows, const struct base_id *workspace,
    void *(*read)(struct db_rows *rows, const struct base_id *workspace),
    bool (*missing)(GError **error), GError **error)
{
	AUTO(db_rows) owned = rows;

	if (rows && db_rows_next(rows))
		return read(rows, workspace);
	if (rows)
		missing(error);
	return NULL;
}

void
store_listing_reverse(GPtrArray *list)
{
	for (guint i = 0, k = list->len; i + 1 < k; i++) {
		gpointer row = list->pdata[i];

		list->pdata[i] = list->pdata[--k];
		list->pdata[k] = row;
	}
}

GPtrArray *
store_listing_page(struct db *db, const struct store_listing *list, const struct base_id *workspace,
    const struct store_page *page, GError **error)
{
	const struct base_id *cursor = page->side == STORE_PAGE_FIRST ? NULL : &page->cursor;
	bool is_newer = page->side == STORE_PAGE_NEWER;
	AUTO(db_rows)
	found = db_select(db, is_newer ? list->newer : list->older,
	    DB_VALUES(db_id(workspace), store_listing_before(cursor), db_int(page->limit)), error);

	if (!found)
		return NULL;
	GPtrArray *rows = g_ptr_array_new_with_free_func(list->release);
	while (db_rows_next(found))
		g_ptr_array_add(rows, list->read(found, workspace));
	if (is_newer)
		store_listing_reverse(rows);
	return rows;
}

GPtrArray *
store_listing_read(struct db *db, const struct store_listing *list, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error)
{
	struct store_page page = {before ? STORE_PAGE_OLDER : STORE_PAGE_FIRST, {{0}}, limit};

	if (before)
		page.cursor = *before;
	return store_listing_page(db, list, workspace, &page, error);
}

bool
store_listing_find(struct db *db, const char *sql, const struct base_id *workspace,
    const char *name, const char *kind, struct base_id *id_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql, DB_VALUES(db_id(workspace), db_text(name)), error);

	if (!rows)
		return false;
	if (!db_rows_next(rows)) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
		    "there is no %s \"%s\" in this workspace", kind, name);
		return false;
	}
	db_rows_id(rows, DB_ROWS_ONLY, id_r);
	if (!db_rows_next(rows))
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "there are several %ss \"%s\": say which by its id", kind, name);
	return false;
}
