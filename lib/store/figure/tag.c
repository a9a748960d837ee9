/* SPDX-License-Identifier: MIT */
/* Keeps which values of tags have figures of their own. */
#include "store/figure/tag.h"

#include "db/statement.h"

enum { VALUES, ADD };
static const char *const sql[] = {
    [VALUES] = "SELECT value FROM figure_tag WHERE workspace_id = ? AND name = ?",
    /* The primary key lets one of two processes have the place. */
    [ADD] = "INSERT IGNORE INTO figure_tag (workspace_id, name, place, value)"
	    " SELECT ?, ?, taken.count, ? FROM (SELECT COUNT(*) AS count FROM figure_tag"
	    " WHERE workspace_id = ? AND name = ?) taken WHERE taken.count < ?",
};

GHashTable *
store_figure_tag_values(
    struct db *db, const struct base_id *workspace, const char *name, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[VALUES], DB_VALUES(db_id(workspace), db_text(name)), error);

	if (!rows)
		return NULL;
	GHashTable *values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	while (db_rows_next(rows))
		g_hash_table_add(values, g_strdup(db_rows_text(rows, DB_ROWS_ONLY)));
	return values;
}

bool
store_figure_tag_add(struct db *db, const struct base_id *workspace, const char *name,
    const char *value, guint most, GError **error)
{
	return db_run(db, sql[ADD],
	    DB_VALUES(db_id(workspace), db_text(name), db_text(value), db_id(workspace),
		db_text(name), db_int(most)),
	    NULL, error);
}
