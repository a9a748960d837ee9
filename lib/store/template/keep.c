/* SPDX-License-Identifier: MIT */
/* Makes versions of templates, and removes those past the limit. */
#include "store/template/keep.h"

#include "base/limits/edit.h"
#include "db/statement.h"
#include "store/common/edit.h"
#include "store/template/change.h"

#define OWN " v.workspace_id = t.workspace_id AND v.sequence = t.sequence"
#define NEWEST                                                                                     \
	"(SELECT MAX(m.version) FROM template_version m"                                           \
	" WHERE m.workspace_id = t.workspace_id AND m.sequence = t.sequence)"
#define INSERT                                                                                     \
	"INSERT INTO template_version (workspace_id, sequence, version, created, created_by,"      \
	" name, subject, html, text, variables, layout, preview)"                                  \
	" SELECT t.workspace_id, t.sequence, "
#define OF_TEMPLATE                                                                                \
	" t.name, t.subject, t.html, t.text, t.variables, t.layout, t.preview FROM template t"     \
	" WHERE t.workspace_id = ? AND t.id = ? AND NOT t.is_draft"
#define SAME(column) " AND BINARY v." column " <=> BINARY t." column

enum { KEEP, ADD, OLD, REMOVE, BODIES };
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
};

/* The columns of OLD, and of BODIES. */
enum { OLD_HTML, OLD_TEXT, OLD_VERSION };

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
