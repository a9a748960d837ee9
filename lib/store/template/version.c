/* SPDX-License-Identifier: MIT */
/* Keeps, reads and lists the versions of templates. */
#include "store/template/version.h"

#include "base/limits/edit.h"
#include "db/columns.h"
#include "db/statement.h"
#include "store/template/change.h"
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
#define NEWEST                                                                                     \
	"(SELECT MAX(m.version) FROM template_version m"                                           \
	" WHERE m.workspace_id = t.workspace_id AND m.sequence = t.sequence)"
#define INSERT                                                                                     \
	"INSERT INTO template_version (workspace_id, sequence, version, created, created_by, "     \
	"name,"                                                                                    \
	" subject, html, text, variables, layout, preview) SELECT t.workspace_id, t.sequence, "
#define OF_TEMPLATE                                                                                \
	" t.name, t.subject, t.html, t.text, t.variables, t.layout, t.preview FROM template t"     \
	" WHERE t.workspace_id = ? AND t.id = ? AND NOT t.is_draft"
#define SAME(column) " AND BINARY v." column " <=> BINARY t." column

enum { KEEP, ADD, OLD, REMOVE, BODIES, LIST, GET };
static const char *const sql[] = {
    [KEEP] = INSERT "1, t.updated, NULL," OF_TEMPLATE
		    " AND NOT EXISTS (SELECT 1 FROM template_version v WHERE" OWN ")",
    [ADD] = INSERT "COALESCE(" NEWEST ", 0) + 1, t.updated, ?," OF_TEMPLATE
		   " AND (? OR NOT EXISTS (SELECT 1 FROM template_version v WHERE" OWN
		   " AND v.version = " NEWEST SAME("name") SAME("subject") SAME("html") SAME("text")
		       SAME("variables") SAME("layout") SAME("preview") "))",
    [OLD] = "SELECT v.html, v.text, v.version FROM template_version v"
	    " WHERE v.workspace_id = ? AND v.sequence = ? ORDER BY v.version DESC LIMIT ?, 100",
    [REMOVE] = "DELETE FROM template_version"
	       " WHERE workspace_id = ? AND sequence = ? AND version <= ?",
    [BODIES] = "SELECT v.html, v.text FROM template_version v"
	       " WHERE v.workspace_id = ? AND v.sequence = ?",
    [LIST] = "SELECT " OF_VERSION " FROM template t JOIN template_version v ON" OWN
	     " WHERE t.workspace_id = ? AND t.id = ? AND NOT t.is_draft AND v.version < ?"
	     " ORDER BY v.version DESC LIMIT ?",
    [GET] = "SELECT " OF_VERSION ", " OF_CONTENT ", h.hash, h.size, h.data, x.hash, x.size, x.data"
	    " FROM template t JOIN template_version v ON" OWN
	    " JOIN body h ON h.workspace_id = v.workspace_id AND h.hash = v.html"
	    " LEFT JOIN body x ON x.workspace_id = v.workspace_id AND x.hash = v.text"
	    " WHERE t.workspace_id = ? AND t.id = ? AND NOT t.is_draft AND v.version = ?",
};

/* The columns of OLD, and of BODIES. */
enum { OLD_HTML, OLD_TEXT, OLD_VERSION };

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

bool
store_template_version_keep(
    struct db *db, const struct store_template_change *change, GError **error)
{
	return db_run(
	    db, sql[KEEP], DB_VALUES(db_id(change->workspace), db_text(change->id)), NULL, error);
}

/* Adds the contents of all rows to those that the change drops. *last_r: the version of the first
   row, 0 where there is none. */
static void
version_take_bodies(
    struct store_template_change *change, struct db_rows *rows, bool has_version, gint64 *last_r)
{
	*last_r = 0;
	while (db_rows_next(rows)) {
		store_template_change_drop(change, rows, OLD_HTML);
		store_template_change_drop(change, rows, OLD_TEXT);
		if (has_version && !*last_r)
			*last_r = db_rows_int(rows, OLD_VERSION);
	}
}

bool
store_template_version_add(struct db *db, struct store_template_change *change,
    const struct store_edit *edit, GError **error)
{
	const struct db_value workspace = db_id(change->workspace),
			      sequence = db_id(&change->sequence);
	guint64 added = 0;
	gint64 last;

	if (!db_run(db, sql[ADD],
		DB_VALUES(db_text(store_edit_author(edit)), workspace, db_text(change->id),
		    db_int(edit && edit->is_restore)),
		&added, error))
		return false;
	if (added == 0)
		return true;
	AUTO(db_rows)
	rows =
	    db_select(db, sql[OLD], DB_VALUES(workspace, sequence, db_int(LIMIT_VERSIONS)), error);
	if (!rows)
		return false;
	version_take_bodies(change, rows, true, &last);
	return !last ||
	       db_run(db, sql[REMOVE], DB_VALUES(workspace, sequence, db_int(last)), NULL, error);
}

bool
store_template_version_drop(struct db *db, struct store_template_change *change, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[BODIES], DB_VALUES(db_id(change->workspace), db_id(&change->sequence)), error);
	gint64 last;

	if (!rows)
		return false;
	version_take_bodies(change, rows, false, &last);
	return true;
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
