/* SPDX-License-Identifier: MIT */
/* Stores, reads and lists templates; their html and text are bodies. */
#include "store/template/template.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"
#include "store/common/edit.h"
#include "store/email/body.h"
#include "store/template/change.h"
#include "store/template/keep.h"
#include "store/workspace/limit.h"

#define TEMPLATE_COLUMNS(FIRST, NEXT)                                                              \
	FIRST(id, "t.id")                                                                          \
	NEXT(sequence, "t.sequence")                                                               \
	NEXT(name, "t.name")                                                                       \
	NEXT(subject, "t.subject")                                                                 \
	NEXT(variables, "t.variables")                                                             \
	NEXT(created, "t.created")                                                                 \
	NEXT(updated, "t.updated")                                                                 \
	NEXT(layout, "t.layout")                                                                   \
	NEXT(preview, "t.preview")                                                                 \
	NEXT(version, "COALESCE(t.version, t.sequence)")
#define COLUMNS DB_COLUMNS_SQL(TEMPLATE_COLUMNS)

enum { CREATE, REPLACE, GET, FIND, REMOVE };
/* Assignments run from left to right: declared uses the old variables. */
static const char *const sql[] = {
    [CREATE] = "INSERT INTO template (workspace_id, id, sequence, is_draft, alias, version, name,"
	       " subject, html, text, sender, reply_to, declared, variables, created, updated,"
	       " layout, preview)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [REPLACE] =
	"UPDATE template SET name = ?, subject = ?, html = ?, text = ?,"
	" declared = IF(variables = ?, declared, NULL), variables = ?, updated = ?, version = ?,"
	" layout = ?, preview = ?"
	" WHERE workspace_id = ? AND id = ?",
    [GET] = "SELECT " COLUMNS ", h.hash, h.size, h.data, x.hash, x.size, x.data FROM template t"
	    " JOIN body h ON h.workspace_id = t.workspace_id AND h.hash = t.html"
	    " LEFT JOIN body x ON x.workspace_id = t.workspace_id AND x.hash = t.text"
	    " WHERE t.workspace_id = ? AND t.id = ? AND NOT t.is_draft",
    [FIND] = "SELECT subject FROM template WHERE workspace_id = ? AND id = ? AND NOT is_draft",
    [REMOVE] = "DELETE FROM template WHERE workspace_id = ? AND id = ?",
};

/* The columns of a content, from its hash on. */
enum { BODY_HASH, BODY_SIZE, BODY_DATA };

/* The columns of GET, behind COLUMNS. */
enum { GET_HTML = DB_COLUMNS_END(TEMPLATE_COLUMNS), GET_TEXT = GET_HTML + STORE_TEMPLATE_BODY_END };

void
store_template_free(struct store_template *template)
{
	g_free(template->id);
	g_free(template->name);
	g_free(template->subject);
	g_free(template->variables);
	g_free(template->layout);
	g_free(template->preview);
	g_free(template->alias);
	g_free(template->sender);
	g_free(template->reply_to);
	g_free(template->declared);
	g_clear_pointer(&template->html, g_bytes_unref);
	g_clear_pointer(&template->text, g_bytes_unref);
	g_free(template);
}

struct store_template_change
store_template_begin(const struct store_template *t)
{
	struct store_template_change change =
	    store_template_change_begin(&t->workspace_id, t->id, t->html, t->text);

	change.template = t;
	return change;
}

static bool
template_create(struct db *db, void *context, GError **error)
{
	struct store_template_change *change = context;
	const struct store_template *t = change->template;

	return store_limit_hold(db, &t->workspace_id, SETTING_LIMITS_TEMPLATES, error) &&
	       store_template_change_put(db, change, error) &&
	       db_run(db, sql[CREATE],
		   DB_VALUES(db_id(&t->workspace_id), db_text(t->id), db_id(&t->sequence),
		       db_int(t->has_draft), db_text(t->alias), db_id(&t->version),
		       db_text(t->name), db_text(t->subject),
		       store_template_change_hash(&change->html),
		       store_template_change_hash(&change->text), db_text(t->sender),
		       db_text(t->reply_to), db_text(t->declared), db_text(t->variables),
		       db_int(t->created), db_int(t->updated), db_text(t->layout),
		       db_text(t->preview)),
		   NULL, error) &&
	       store_template_version_add(db, change, t->edit, error);
}

bool
store_template_create(struct db *db, struct store_template *template, GError **error)
{
	struct store_template_change change = store_template_begin(template);

	template->sequence = base_id_new();
	template->version = base_id_new();
	template->created = template->updated = base_clock_now();
	change.sequence = template->sequence;
	bool done = db_transact(db, template_create, &change, error);
	store_template_change_end(db, &change);
	return done;
}

static bool
template_replace(struct db *db, void *context, GError **error)
{
	struct store_template_change *change = context;
	const struct store_template *t = change->template;
	char tag[ID_TEXT_SIZE];

	return store_template_change_lock(db, change, false, error) &&
	       store_edit_check(t->edit, base_id_format(&change->version, tag), error) &&
	       store_template_version_keep(db, change, error) &&
	       store_template_change_put(db, change, error) &&
	       db_run(db, sql[REPLACE],
		   DB_VALUES(db_text(t->name), db_text(t->subject),
		       store_template_change_hash(&change->html),
		       store_template_change_hash(&change->text), db_text(t->variables),
		       db_text(t->variables), db_int(t->updated), db_id(&t->version),
		       db_text(t->layout), db_text(t->preview), db_id(&t->workspace_id),
		       db_text(t->id)),
		   NULL, error) &&
	       store_template_version_add(db, change, t->edit, error);
}

bool
store_template_replace(struct db *db, struct store_template *template, GError **error)
{
	struct store_template_change change = store_template_begin(template);

	template->updated = base_clock_now();
	template->version = base_id_new();
	bool done = db_transact(db, template_replace, &change, error);
	store_template_change_end(db, &change);
	return done;
}

static bool
store_template_template_remove_one(struct db *db, void *context, GError **error)
{
	struct store_template_change *change = context;
	const struct store_template *t = change->template;

	return store_template_change_lock(db, change, false, error) &&
	       store_template_version_drop(db, change, error) &&
	       db_run(db, sql[REMOVE], DB_VALUES(db_id(&t->workspace_id), db_text(t->id)), NULL,
		   error);
}

bool
store_template_find(struct db *db, const struct base_id *workspace, const char *id, bool *found_r,
    bool *subject_r, GError **error)
{
	*found_r = *subject_r = false;
	if (!g_str_is_ascii(id))
		return true;
	AUTO(db_rows) rows =
	    db_select(db, sql[FIND], DB_VALUES(db_id(workspace), db_text(id)), error);
	if (!rows)
		return false;
	*found_r = db_rows_next(rows);
	*subject_r = *found_r && !db_rows_is_null(rows, DB_ROWS_ONLY);
	return true;
}

bool
store_template_remove(
    struct db *db, const struct base_id *workspace, const char *id, GError **error)
{
	struct store_template template = {.id = (char *)id, .workspace_id = *workspace};
	struct store_template_change change = store_template_begin(&template);
	bool done = db_transact(db, store_template_template_remove_one, &change, error);

	store_template_change_end(db, &change);
	return done;
}

STORE_LISTING_READER(template_read_row, struct store_template, TEMPLATE_COLUMNS)

/* The content whose columns begin at this one. */
static GBytes *
template_read_body(struct db *db, const struct base_id *workspace, struct db_rows *rows,
    guint column, GError **error)
{
	gsize hash_size, first_size;
	const void *hash = db_rows_bytes(rows, column + BODY_HASH, &hash_size);
	const void *first = db_rows_bytes(rows, column + BODY_DATA, &first_size);

	return store_body_complete(db, workspace,
	    &(struct store_body_row){
		hash, (gsize)db_rows_int(rows, column + BODY_SIZE), first, first_size},
	    error);
}

bool
store_template_read_bodies(struct db *db, struct store_template *template, struct db_rows *rows,
    guint html, guint text, GError **error)
{
	const struct base_id *workspace = &template->workspace_id;

	if (!(template->html = template_read_body(db, workspace, rows, html, error)))
		return false;
	if (!db_rows_is_null(rows, text))
		template->text = template_read_body(db, workspace, rows, text, error);
	return db_rows_is_null(rows, text) || template->text;
}

struct store_template *
store_template_get(struct db *db, const struct base_id *workspace, const char *id, GError **error)
{
	if (!g_str_is_ascii(id)) {
		store_template_missing(error);
		return NULL;
	}
	AUTO(db_rows) rows =
	    db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_text(id)), error);
	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		store_template_missing(error);
		return NULL;
	}
	AUTO(store_template) template = template_read_row(rows, workspace);
	return store_template_read_bodies(db, template, rows, GET_HTML, GET_TEXT, error)
		   ? g_steal_pointer(&template)
		   : NULL;
}

STORE_LISTING(listing, template_read_row, store_template_destroy,
    "SELECT " COLUMNS " FROM template t WHERE t.workspace_id = ? AND NOT t.is_draft", "t.sequence");

GPtrArray *
store_template_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}
