/* SPDX-License-Identifier: MIT */
/* Stores, reads and publishes templates with drafts. */
#include "store/template/draft.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"
#include "store/template/change.h"
#include "store/template/keep.h"
#include "store/template/template.h"

/* A column of the draft d, or of the published version t when there is no draft. */
#define NEWEST(column) "IF(d.id IS NULL, t." column ", d." column ")"

#define HTML NEWEST("html")
#define TEXT NEWEST("text")

#define DRAFT_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "t.id")                                                                          \
	NEXT(sequence, "t.sequence")                                                               \
	NEXT(alias, "t.alias")                                                                     \
	NEXT(layout, "t.layout")                                                                   \
	NEXT(created, "t.created")                                                                 \
	NEXT(published, "IF(t.is_draft, 0, t.updated)")                                            \
	NEXT(has_draft, "t.is_draft OR d.id IS NOT NULL")                                          \
	NEXT(version, "COALESCE(d.version, t.version, t.sequence)")                                \
	NEXT(name, NEWEST("name"))                                                                 \
	NEXT(subject, NEWEST("subject"))                                                           \
	NEXT(sender, NEWEST("sender"))                                                             \
	NEXT(reply_to, NEWEST("reply_to"))                                                         \
	NEXT(declared, NEWEST("declared"))                                                         \
	NEXT(variables, NEWEST("variables"))                                                       \
	NEXT(updated, NEWEST("updated"))
#define COLUMNS DB_COLUMNS_SQL(DRAFT_COLUMNS)

#define FROM                                                                                       \
	" FROM template t LEFT JOIN template_draft d"                                              \
	" ON d.workspace_id = t.workspace_id AND d.id = t.id"

/* The id of the template with this alias, or else with this id. */
#define NAMED_ID                                                                                   \
	"COALESCE((SELECT id FROM template WHERE workspace_id = ? AND alias = ?),"                 \
	" (SELECT id FROM template WHERE workspace_id = ? AND id = ?))"

enum { NAMED, GET, PLACE, CHANGE, DRAFT, ALIAS, PUBLISH, PUBLISH_FIRST, FORGET, REMOVE };
static const char *const sql[] = {
    [NAMED] = "SELECT " NAMED_ID,
    [GET] = "SELECT " COLUMNS ", h.hash, h.size, h.data, x.hash, x.size, x.data" FROM " AND ?"
	    " JOIN body h ON h.workspace_id = t.workspace_id AND h.hash = " HTML
	    " LEFT JOIN body x ON x.workspace_id = t.workspace_id AND x.hash = " TEXT
	    " WHERE t.workspace_id = ? AND t.id = " NAMED_ID,
    [PLACE] = "SELECT sequence FROM template WHERE workspace_id = ? AND id = ?",
    [CHANGE] = "UPDATE template SET version = ?, name = ?, subject = ?, html = ?, text = ?,"
	       " sender = ?, reply_to = ?, declared = ?, variables = ?, updated = ?"
	       " WHERE workspace_id = ? AND id = ?",
    [DRAFT] = "INSERT INTO template_draft (version, name, subject, html, text, sender, reply_to,"
	      " declared, variables, updated, workspace_id, id)"
	      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
	      " version = VALUES(version), name = VALUES(name), subject = VALUES(subject),"
	      " html = VALUES(html), text = VALUES(text), sender = VALUES(sender),"
	      " reply_to = VALUES(reply_to), declared = VALUES(declared),"
	      " variables = VALUES(variables), updated = VALUES(updated)",
    [ALIAS] = "UPDATE template SET alias = ? WHERE workspace_id = ? AND id = ?",
    [PUBLISH] = "UPDATE template t JOIN template_draft d ON d.workspace_id = t.workspace_id"
		" AND d.id = t.id SET t.version = d.version, t.name = d.name,"
		" t.subject = d.subject, t.html = d.html, t.text = d.text, t.sender = d.sender,"
		" t.reply_to = d.reply_to, t.declared = d.declared, t.variables = d.variables,"
		" t.updated = ? WHERE t.workspace_id = ? AND t.id = ?",
    [PUBLISH_FIRST] = "UPDATE template SET is_draft = 0, updated = ?"
		      " WHERE workspace_id = ? AND id = ?",
    [FORGET] = "DELETE FROM template_draft WHERE workspace_id = ? AND id = ?",
    [REMOVE] = "DELETE FROM template WHERE workspace_id = ? AND id = ?",
};

/* The columns of GET, behind COLUMNS: each content from its hash on. */
enum { GET_HTML = DB_COLUMNS_END(DRAFT_COLUMNS), GET_TEXT = GET_HTML + STORE_TEMPLATE_BODY_END };

STORE_LISTING_READER(draft_read_row, struct store_template, DRAFT_COLUMNS)

/* Reads a template by its name, with the draft or without. */
static struct store_template *
draft_get(
    struct db *db, const struct base_id *workspace, const char *name, bool draft, GError **error)
{
	/* The server refuses to compare non-ASCII text with an ASCII column. */
	if (!g_str_is_ascii(name)) {
		store_template_missing(error);
		return NULL;
	}
	AUTO(db_rows) rows = db_select(db, sql[GET],
	    DB_VALUES(db_int(draft), db_id(workspace), db_id(workspace), db_text(name),
		db_id(workspace), db_text(name)),
	    error);
	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		store_template_missing(error);
		return NULL;
	}
	AUTO(store_template) template = draft_read_row(rows, workspace);
	return store_template_read_bodies(db, template, rows, GET_HTML, GET_TEXT, error)
		   ? g_steal_pointer(&template)
		   : NULL;
}

struct store_template *
store_template_draft_get(
    struct db *db, const struct base_id *workspace, const char *name, GError **error)
{
	return draft_get(db, workspace, name, true, error);
}

struct store_template *
store_template_draft_published(
    struct db *db, const struct base_id *workspace, const char *name, GError **error)
{
	return draft_get(db, workspace, name, false, error);
}

bool
store_template_draft_place(struct db *db, const struct base_id *workspace, const char *id,
    struct base_id *sequence_r, bool *found_r, GError **error)
{
	*found_r = false;
	if (!g_str_is_ascii(id))
		return true;
	AUTO(db_rows) rows =
	    db_select(db, sql[PLACE], DB_VALUES(db_id(workspace), db_text(id)), error);
	if (!rows)
		return false;
	if ((*found_r = db_rows_next(rows)))
		db_rows_id(rows, DB_ROWS_ONLY, sequence_r);
	return true;
}

STORE_LISTING(listing, draft_read_row, store_template_destroy,
    "SELECT " COLUMNS FROM " WHERE t.workspace_id = ?", "t.sequence");

GPtrArray *
store_template_draft_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &listing, workspace, page, error);
}

static bool
draft_put(struct db *db, void *context, GError **error)
{
	struct store_template_change *change = context;
	const struct store_template *t = change->template;

	return store_template_change_lock(db, change, true, error) &&
	       store_template_change_put(db, change, error) &&
	       db_run(db, sql[change->is_draft ? CHANGE : DRAFT],
		   DB_VALUES(db_id(&t->version), db_text(t->name), db_text(t->subject),
		       store_template_change_hash(&change->html),
		       store_template_change_hash(&change->text), db_text(t->sender),
		       db_text(t->reply_to), db_text(t->declared), db_text(t->variables),
		       db_int(t->updated), db_id(&t->workspace_id), db_text(t->id)),
		   NULL, error) &&
	       db_run(db, sql[ALIAS],
		   DB_VALUES(db_text(t->alias), db_id(&t->workspace_id), db_text(t->id)), NULL,
		   error);
}

bool
store_template_draft_put(struct db *db, struct store_template *template, GError **error)
{
	struct store_template_change change = store_template_begin(template);

	if (!template->has_draft)
		template->version = base_id_new();
	template->updated = base_clock_now();
	bool done = db_transact(db, draft_put, &change, error);
	/* The template keeps its contents, and db the cause of the failure. */
	if (!done)
		g_array_set_size(change.old, 0);
	store_template_change_end(db, &change);
	return done;
}

/* A template that is looked for by its name in the transaction that changes it. */
struct named {
	const char *name;
	char *id;     /* owned */
	bool publish; /* else remove */
	const struct store_edit *edit;
	struct store_template_change change;
};

static bool
draft_find(struct db *db, struct named *named, GError **error)
{
	const struct db_value workspace = db_id(named->change.workspace),
			      name = db_text(named->name);

	g_clear_pointer(&named->id, g_free);
	if (!g_str_is_ascii(named->name))
		return store_template_missing(error);
	AUTO(db_rows) rows =
	    db_select(db, sql[NAMED], DB_VALUES(workspace, name, workspace, name), error);
	if (!rows)
		return false;
	if (!db_rows_next(rows) || db_rows_is_null(rows, DB_ROWS_ONLY))
		return store_template_missing(error);
	named->change.id = named->id = g_strdup(db_rows_text(rows, DB_ROWS_ONLY));
	return store_template_change_lock(db, &named->change, true, error);
}

static bool
publish(struct db *db, struct store_template_change *change, const struct store_edit *edit,
    GError **error)
{
	const struct db_value workspace = db_id(change->workspace), id = db_text(change->id),
			      now = db_int(base_clock_now());

	if (change->is_draft)
		return db_run(db, sql[PUBLISH_FIRST], DB_VALUES(now, workspace, id), NULL, error) &&
		       store_template_version_add(db, change, edit, error);
	return !change->has_draft ||
	       (store_template_version_keep(db, change, error) &&
		   db_run(db, sql[PUBLISH], DB_VALUES(now, workspace, id), NULL, error) &&
		   db_run(db, sql[FORGET], DB_VALUES(workspace, id), NULL, error) &&
		   store_template_version_add(db, change, edit, error));
}

static bool
draft_act(struct db *db, void *context, GError **error)
{
	struct named *named = context;
	struct store_template_change *change = &named->change;

	if (!draft_find(db, named, error))
		return false;
	return named->publish
		   ? publish(db, change, named->edit, error)
		   : store_template_version_drop(db, change, error) &&
			 db_run(db, sql[REMOVE],
			     DB_VALUES(db_id(change->workspace), db_text(change->id)), NULL, error);
}

static bool
act_on(struct db *db, struct named *named, char **id_r, GError **error)
{
	bool done = db_transact(db, draft_act, named, error);

	store_template_change_end(db, &named->change);
	*id_r = done ? g_steal_pointer(&named->id) : NULL;
	g_free(named->id);
	return done;
}

bool
store_template_draft_publish(struct db *db, const struct base_id *workspace, const char *name,
    const struct store_edit *edit, char **id_r, GError **error)
{
	struct named named = {.name = name,
	    .publish = true,
	    .edit = edit,
	    .change = store_template_change_begin(workspace, NULL, NULL, NULL)};

	return act_on(db, &named, id_r, error);
}

bool
store_template_draft_remove(
    struct db *db, const struct base_id *workspace, const char *name, char **id_r, GError **error)
{
	struct named named = {
	    .name = name, .change = store_template_change_begin(workspace, NULL, NULL, NULL)};

	return act_on(db, &named, id_r, error);
}
