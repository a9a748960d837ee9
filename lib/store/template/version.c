/* SPDX-License-Identifier: MIT */
/* Reads and lists the versions of templates. */
#include "store/template/version.h"

#include "db/columns.h"
#include "db/statement.h"
#include "store/template/template.h"

#define VERSION_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(version, "v.version")                                                                \
	NEXT(created, "v.created")                                                                 \
	NEXT(created_by, "v.created_by")
#define CONTENT_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(id, "t.id")                                                                          \
	NEXT(name, "v.name")                                                                       \
	NEXT(subject, "v.subject")                                                                 \
	NEXT(variables, "v.variables")                                                             \
	NEXT(layout, "v.layout")                                                                   \
	NEXT(preview, "v.preview")
#define OF_VERSION DB_COLUMNS_SQL(VERSION_COLUMNS)
#define OF_CONTENT DB_COLUMNS_SQL(CONTENT_COLUMNS)

#define OWN " v.workspace_id = t.workspace_id AND v.sequence = t.sequence"

enum { LIST, GET };
static const char *const sql[] = {
    [LIST] = "SELECT " OF_VERSION " FROM template t JOIN template_version v ON" OWN
	     " WHERE t.workspace_id = ? AND t.id = ? AND NOT t.is_draft AND v.version < ?"
	     " ORDER BY v.version DESC LIMIT ?",
    [GET] = "SELECT " OF_VERSION ", " OF_CONTENT ", h.hash, h.size, h.data, x.hash, x.size, x.data"
	    " FROM template t JOIN template_version v ON" OWN
	    " JOIN body h ON h.workspace_id = v.workspace_id AND h.hash = v.html"
	    " LEFT JOIN body x ON x.workspace_id = v.workspace_id AND x.hash = v.text"
	    " WHERE t.workspace_id = ? AND t.id = ? AND NOT t.is_draft AND v.version = ?",
};

/* The columns of GET, behind those of the version and of the content. */
enum {
	GET_CONTENT = DB_COLUMNS_END(VERSION_COLUMNS),
	GET_HTML = GET_CONTENT + DB_COLUMNS_END(CONTENT_COLUMNS),
	GET_TEXT = GET_HTML + STORE_TEMPLATE_BODY_END
};

DB_COLUMNS_MAKER(version_read_listed, struct store_edit_version, VERSION_COLUMNS)
DB_COLUMNS_MAKER(version_read_whole, struct store_template_version, VERSION_COLUMNS)
DB_COLUMNS_READER(version_read_content, struct store_template, CONTENT_COLUMNS)

void
store_template_version_free(struct store_template_version *version)
{
	g_free(version->created_by);
	g_clear_pointer(&version->template, store_template_free);
	g_free(version);
}

GPtrArray *
store_template_version_list(struct db *db, const struct base_id *workspace, const char *id,
    guint before, guint limit, GError **error)
{
	/* The server refuses to compare non-ASCII text with an ASCII column. */
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(db_id(workspace), db_text(g_str_is_ascii(id) ? id : ""), db_int(before),
		db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(store_edit_version_free);
	while (db_rows_next(rows))
		g_ptr_array_add(list, version_read_listed(rows));
	return list;
}

struct store_template_version *
store_template_version_get(
    struct db *db, const struct base_id *workspace, const char *id, guint number, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GET],
	    DB_VALUES(db_id(workspace), db_text(g_str_is_ascii(id) ? id : ""), db_int(number)),
	    error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		store_edit_version_missing(error);
		return NULL;
	}
	AUTO(store_template_version) version = version_read_whole(rows);
	version->template = g_new0(struct store_template, 1);
	version->template->workspace_id = *workspace;
	version_read_content(rows, GET_CONTENT, version->template);
	return store_template_read_bodies(db, version->template, rows, GET_HTML, GET_TEXT, error)
		   ? g_steal_pointer(&version)
		   : NULL;
}
