/* SPDX-License-Identifier: MIT */
/* Stores and removes the contents of a template that is changed. */
#include "store/template/change.h"

#include "base/error.h"
#include "db/statement.h"

enum { LOCK };
static const char *const sql[] = {
    [LOCK] = "SELECT t.is_draft, d.id, t.html, t.text, d.html, d.text,"
	     " t.sequence, COALESCE(t.version, t.sequence) FROM template t"
	     " LEFT JOIN template_draft d ON d.workspace_id = t.workspace_id AND d.id = t.id"
	     " WHERE t.workspace_id = ? AND t.id = ? FOR UPDATE",
};

/* The columns of LOCK. */
enum {
	LOCK_IS_DRAFT,
	LOCK_DRAFT,
	LOCK_HTML,
	LOCK_TEXT,
	LOCK_DRAFT_HTML,
	LOCK_DRAFT_TEXT,
	LOCK_SEQUENCE,
	LOCK_VERSION
};

bool
store_template_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Template not found");
}

struct store_template_change
store_template_change_begin(
    const struct base_id *workspace, const char *id, GBytes *html, GBytes *text)
{
	struct store_template_change change = {
	    .workspace = workspace, .id = id, .old = g_array_new(FALSE, FALSE, SHA256_SIZE)};

	if (html)
		change.html = store_body_make(html);
	if (text)
		change.text = store_body_make(text);
	return change;
}

void
store_template_change_drop(
    struct store_template_change *change, const struct db_rows *rows, guint column)
{
	gsize size = 0;
	const void *hash = db_rows_bytes(rows, column, &size);

	if (size == SHA256_SIZE)
		g_array_append_vals(change->old, hash, 1);
}

static void
change_read_row(struct db_rows *rows, struct store_template_change *change)
{
	change->is_draft = db_rows_int(rows, LOCK_IS_DRAFT) != 0;
	change->has_draft = !db_rows_is_null(rows, LOCK_DRAFT);
	g_array_set_size(change->old, 0);
	for (guint i = LOCK_HTML; i <= LOCK_DRAFT_TEXT; i++)
		store_template_change_drop(change, rows, i);
	db_rows_id(rows, LOCK_SEQUENCE, &change->sequence);
	db_rows_id(rows, LOCK_VERSION, &change->version);
}

bool
store_template_change_lock(
    struct db *db, struct store_template_change *change, bool drafts, GError **error)
{
	g_array_set_size(change->old, 0);
	/* The server refuses to compare non-ASCII text with an ASCII column. */
	if (!g_str_is_ascii(change->id))
		return store_template_missing(error);
	AUTO(db_rows) rows = db_select(
	    db, sql[LOCK], DB_VALUES(db_id(change->workspace), db_text(change->id)), error);
	if (!rows)
		return false;
	if (!db_rows_next(rows) || (!drafts && db_rows_int(rows, LOCK_IS_DRAFT)))
		return store_template_missing(error);
	change_read_row(rows, change);
	return true;
}

bool
store_template_change_put(struct db *db, const struct store_template_change *change, GError **error)
{
	const struct store_body *bodies[] = {&change->html, &change->text};

	return store_body_put(db, change->workspace, bodies, change->text.data ? 2 : 1, error);
}

struct db_value
store_template_change_hash(const struct store_body *body)
{
	return body->data ? db_bytes(body->hash, SHA256_SIZE) : db_null();
}

void
store_template_change_end(struct db *db, struct store_template_change *change)
{
	for (guint i = 0; i < change->old->len; i++)
		store_body_drop(db, change->workspace,
		    (const guint8 *)change->old->data + (gsize)i * SHA256_SIZE, NULL);
	g_array_unref(change->old);
	g_clear_pointer(&change->html.data, g_bytes_unref);
	g_clear_pointer(&change->text.data, g_bytes_unref);
}
