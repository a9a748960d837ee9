/* SPDX-License-Identifier: MIT */
/* Stores, reads and lists templates; their html and text are bodies. */
#include "store/template.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/body.h"
#include "store/limit.h"
#include "store/listing.h"

#define COLUMNS "t.id, t.sequence, t.name, t.subject, t.variables, t.created, t.updated"
/* The columns of COLUMNS. */
enum { T_ID, T_SEQUENCE, T_NAME, T_SUBJECT, T_VARIABLES, T_CREATED, T_UPDATED, T_END };

enum { CREATE, REPLACE, GET, FIND, BODIES, REMOVE, LIST };
static const char *const sql[] = {
    [CREATE] = "INSERT INTO template (workspace_id, id, sequence, name, subject, html, text, "
	       "variables, created, updated)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [REPLACE] =
	"UPDATE template SET name = ?, subject = ?, html = ?, text = ?, variables = ?, updated = ?"
	" WHERE workspace_id = ? AND id = ?",
    [GET] = "SELECT " COLUMNS ", h.hash, h.size, h.data, x.hash, x.size, x.data FROM template t"
	    " JOIN body h ON h.workspace_id = t.workspace_id AND h.hash = t.html"
	    " LEFT JOIN body x ON x.workspace_id = t.workspace_id AND x.hash = t.text"
	    " WHERE t.workspace_id = ? AND t.id = ?",
    [FIND] = "SELECT subject FROM template WHERE workspace_id = ? AND id = ?",
    [BODIES] = "SELECT html, text FROM template WHERE workspace_id = ? AND id = ? FOR UPDATE",
    [REMOVE] = "DELETE FROM template WHERE workspace_id = ? AND id = ?",
    [LIST] = "SELECT " COLUMNS " FROM template t WHERE t.workspace_id = ? AND t.sequence < ?"
	     " ORDER BY t.sequence DESC LIMIT ?",
};

/* The columns of a content, from its hash on. */
enum { BODY_HASH, BODY_SIZE, BODY_DATA, BODY_END };

/* The columns of GET, behind COLUMNS. */
enum { GET_HTML = T_END, GET_TEXT = GET_HTML + BODY_END };

/* The columns of BODIES. */
enum { BODIES_HTML, BODIES_TEXT };

void
store_template_free(struct store_template *template)
{
	g_free(template->id);
	g_free(template->name);
	g_free(template->subject);
	g_free(template->variables);
	g_clear_pointer(&template->html, g_bytes_unref);
	g_clear_pointer(&template->text, g_bytes_unref);
	g_free(template);
}

static bool
not_found(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Template not found");
	return false;
}

/* A template with its contents, and its contents before the change. */
struct change {
	struct store_template *template;
	struct store_body html, text;
	guint8 old[2][SHA256_SIZE];
	guint old_count;
};

static struct change
change_of(struct store_template *template)
{
	struct change change = {.template = template};

	if (template->html)
		change.html = store_body_make(template->html);
	if (template->text)
		change.text = store_body_make(template->text);
	return change;
}

static bool
put_bodies(struct db *db, struct change *change, GError **error)
{
	const struct store_body *bodies[] = {&change->html, &change->text};

	return store_body_put(
	    db, &change->template->workspace_id, bodies, change->text.data ? 2 : 1, error);
}

static bool
read_old(struct db *db, struct change *change, GError **error)
{
	const struct store_template *template = change->template;
	gsize size;

	change->old_count = 0;
	/* The server refuses to compare non-ASCII text with an ASCII column. */
	if (!g_str_is_ascii(template->id))
		return not_found(error);
	AUTO(db_rows) rows = db_select(db, sql[BODIES],
	    DB_VALUES(db_id(&template->workspace_id), db_text(template->id)), error);
	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return not_found(error);
	for (guint i = BODIES_HTML; i <= BODIES_TEXT; i++)
		if (!db_rows_is_null(rows, i))
			memcpy(change->old[change->old_count++], db_rows_bytes(rows, i, &size),
			    SHA256_SIZE);
	return true;
}

/* Removes contents that nothing uses. Leaving them for a while does no harm. */
static void
end_change(struct db *db, struct change *change)
{
	for (guint i = 0; i < change->old_count; i++)
		store_body_drop(db, &change->template->workspace_id, change->old[i], NULL);
	g_clear_pointer(&change->html.data, g_bytes_unref);
	g_clear_pointer(&change->text.data, g_bytes_unref);
}

static struct db_value
hash_of(const struct store_body *body)
{
	return body->data ? db_bytes(body->hash, SHA256_SIZE) : db_null();
}

static bool
create(struct db *db, void *context, GError **error)
{
	struct change *change = context;
	const struct store_template *t = change->template;

	return store_limit_hold(db, &t->workspace_id, SETTING_LIMITS_TEMPLATES, error) &&
	       put_bodies(db, change, error) &&
	       db_run(db, sql[CREATE],
		   DB_VALUES(db_id(&t->workspace_id), db_text(t->id), db_id(&t->sequence),
		       db_text(t->name), db_text(t->subject), hash_of(&change->html),
		       hash_of(&change->text), db_text(t->variables), db_int(t->created),
		       db_int(t->updated)),
		   NULL, error);
}

bool
store_template_create(struct db *db, struct store_template *template, GError **error)
{
	struct change change = change_of(template);

	template->sequence = base_id_new();
	template->created = template->updated = base_clock_now();
	bool done = db_transact(db, create, &change, error);
	end_change(db, &change);
	return done;
}

static bool
replace(struct db *db, void *context, GError **error)
{
	struct change *change = context;
	const struct store_template *t = change->template;

	return read_old(db, change, error) && put_bodies(db, change, error) &&
	       db_run(db, sql[REPLACE],
		   DB_VALUES(db_text(t->name), db_text(t->subject), hash_of(&change->html),
		       hash_of(&change->text), db_text(t->variables), db_int(t->updated),
		       db_id(&t->workspace_id), db_text(t->id)),
		   NULL, error);
}

bool
store_template_replace(struct db *db, struct store_template *template, GError **error)
{
	struct change change = change_of(template);

	template->updated = base_clock_now();
	bool done = db_transact(db, replace, &change, error);
	end_change(db, &change);
	return done;
}

static bool
remove_one(struct db *db, void *context, GError **error)
{
	struct change *change = context;
	const struct store_template *t = change->template;

	return read_old(db, change, error) &&
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
	struct change change = {.template = &template};
	bool done = db_transact(db, remove_one, &change, error);

	end_change(db, &change);
	return done;
}

static void *
read_row(struct db_rows *rows, const struct base_id *workspace)
{
	struct store_template *template = g_new0(struct store_template, 1);

	template->id = g_strdup(db_rows_text(rows, T_ID));
	template->workspace_id = *workspace;
	db_rows_id(rows, T_SEQUENCE, &template->sequence);
	template->name = g_strdup(db_rows_text(rows, T_NAME));
	template->subject = g_strdup(db_rows_text(rows, T_SUBJECT));
	template->variables = g_strdup(db_rows_text(rows, T_VARIABLES));
	template->created = db_rows_int(rows, T_CREATED);
	template->updated = db_rows_int(rows, T_UPDATED);
	return template;
}

/* The content whose columns begin at this one. */
static GBytes *
read_body(struct db *db, const struct base_id *workspace, struct db_rows *rows, guint column,
    GError **error)
{
	gsize hash_size, first_size;
	const void *hash = db_rows_bytes(rows, column + BODY_HASH, &hash_size);
	const void *first = db_rows_bytes(rows, column + BODY_DATA, &first_size);

	return store_body_complete(db, workspace, hash,
	    (gsize)db_rows_int(rows, column + BODY_SIZE), first, first_size, error);
}

struct store_template *
store_template_get(struct db *db, const struct base_id *workspace, const char *id, GError **error)
{
	if (!g_str_is_ascii(id)) {
		not_found(error);
		return NULL;
	}
	AUTO(db_rows) rows =
	    db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_text(id)), error);
	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		not_found(error);
		return NULL;
	}
	AUTO(store_template) template = read_row(rows, workspace);
	template->html = read_body(db, workspace, rows, GET_HTML, error);
	if (!template->html)
		return NULL;
	if (!db_rows_is_null(rows, GET_TEXT) &&
	    !(template->text = read_body(db, workspace, rows, GET_TEXT, error)))
		return NULL;
	return g_steal_pointer(&template);
}

static void
free_template(void *template)
{
	store_template_free(template);
}

GPtrArray *
store_template_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(
	    db, sql[LIST], workspace, before, limit, read_row, free_template, error);
}
