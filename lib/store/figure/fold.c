/* SPDX-License-Identifier: MIT */
/* Folds the stripes of past days, and takes values of tags out of the figures. */
#include <string.h>

#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/figure/figure.h"
#include "store/figure/sum.h"
#include "store/figure/tag.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define BATCH 500

#define ROW_COLUMNS(FIRST, NEXT)                                                                   \
	FIRST(workspace_id, "workspace_id")                                                        \
	NEXT(dimension, "dimension")                                                               \
	NEXT(owner, "owner")                                                                       \
	NEXT(name, "name")                                                                         \
	NEXT(day, "day")                                                                           \
	FIGURE_COLUMNS(NEXT, NEXT)
DB_COLUMNS_READER(fold_read_row, struct store_figure_sum, ROW_COLUMNS)
#define ROWS "SELECT " DB_COLUMNS_SQL(ROW_COLUMNS) ", stripe FROM figure"
enum { ROWS_STRIPE = DB_COLUMNS_END(ROW_COLUMNS) };

enum { LOOSE, REMOVE, OWN_TAGS, TAGGED, BLANK_TAG };
/* System-wide: LOOSE. The spool folds the days of all workspaces. */
static const char *const sql[] = {
    [LOOSE] = ROWS " FORCE INDEX (stripe) WHERE stripe > ? AND day < ? LIMIT ?"
		   " FOR UPDATE SKIP LOCKED",
    [REMOVE] = "DELETE FROM figure WHERE workspace_id = ? AND dimension = ? AND owner = ?"
	       " AND name = ? AND day = ? AND stripe = ?",
    [OWN_TAGS] = "SELECT t.name, t.value FROM email_tag t WHERE t.email_id = ?"
		 " AND t.workspace_id = ? AND NOT EXISTS (SELECT 1 FROM email_tag o"
		 " WHERE o.workspace_id = t.workspace_id AND o.name = t.name"
		 " AND o.value = t.value AND o.email_id <> t.email_id)",
    [TAGGED] = ROWS " WHERE workspace_id = ? AND dimension = ? AND owner = ? AND name = ?"
		    " FOR UPDATE",
    /* The place stays taken. */
    [BLANK_TAG] = "UPDATE figure_tag SET value = CONCAT('*', place)"
		  " WHERE workspace_id = ? AND name = ? AND value = ?",
};

/* The columns of OWN_TAGS. */
enum { OWN_TAGS_NAME, OWN_TAGS_VALUE };

#define KEY_COLUMNS 6

/* Rows that become part of others. */
struct folding {
	gint64 day; /* of loose rows: of days before this one */
	guint count;
	const char *to; /* the name that they get; NULL: the same */
	GHashTable *sums;
	GArray *keys;	  /* struct db_value: of the rows */
	GPtrArray *names; /* of the rows */
};

static void
folding_begin(struct folding *folding)
{
	folding->count = 0;
	folding->sums = store_figure_sums_new();
	folding->keys = g_array_new(FALSE, FALSE, sizeof(struct db_value));
	folding->names = g_ptr_array_new_with_free_func(g_free);
}

static void
folding_end(struct folding *folding)
{
	g_hash_table_unref(folding->sums);
	g_array_unref(folding->keys);
	g_ptr_array_unref(folding->names);
}

static void
fold_row(struct folding *folding, const struct db_rows *rows)
{
	struct store_figure_sum row;

	fold_read_row(rows, 0, &row);
	char *name = row.name;
	g_ptr_array_add(folding->names, name);
	if (folding->to)
		row.name = (char *)folding->to;
	struct store_figure_sum *sum = store_figure_sum_of(folding->sums, &row);
	for (guint f = 0; f < FIGURES; f++)
		sum->figures[f] += row.figures[f];
	const struct db_value key[KEY_COLUMNS] = {db_id(&sum->workspace_id), db_int(sum->dimension),
	    db_id(&sum->owner), db_bytes(name, strlen(name)), db_int(sum->day),
	    db_int(db_rows_int(rows, ROWS_STRIPE))};
	g_array_append_vals(folding->keys, key, KEY_COLUMNS);
	folding->count++;
}

static bool
fold_rows(struct db *db, struct folding *folding, struct db_rows *rows, GError **error)
{
	if (!rows)
		return false;
	while (db_rows_next(rows))
		fold_row(folding, rows);
	return db_run_rows(db, sql[REMOVE], (const struct db_value *)(void *)folding->keys->data,
		   KEY_COLUMNS, folding->count, NULL, error) &&
	       store_figure_sums_write(db, folding->sums, FIGURE_FOLDED, error);
}

static bool
fold_fold(struct db *db, void *context, GError **error)
{
	struct folding *folding = context;
	AUTO(db_rows) rows = db_select(db, sql[LOOSE],
	    DB_VALUES(db_int(FIGURE_FOLDED), db_int(folding->day), db_int(BATCH)), error);

	folding_begin(folding);
	bool done = fold_rows(db, folding, rows, error);
	folding_end(folding);
	return done;
}

bool
store_figure_fold(struct db *db, gint64 before, guint *count_r, GError **error)
{
	struct folding folding = {.day = before / DAY_MS};
	bool done = db_transact(db, fold_fold, &folding, error);

	*count_r = folding.count;
	return done;
}

/* Moves the figures of a value to those of all values that have none of their own. */
static bool
fold_forget(struct db *db, const struct base_id *workspace, const char *name, const char *value,
    GError **error)
{
	static const struct base_id nobody;
	g_autofree char *from = g_strconcat(name, ":", value, NULL);
	g_autofree char *to = g_strconcat(name, ":*", NULL);
	struct folding folding = {.to = to};
	AUTO(db_rows) rows = db_select(db, sql[TAGGED],
	    DB_VALUES(db_id(workspace), db_int(FIGURE_OF_TAG), db_id(&nobody),
		db_bytes(from, strlen(from))),
	    error);

	folding_begin(&folding);
	bool done = fold_rows(db, &folding, rows, error);
	folding_end(&folding);
	return done && db_run(db, sql[BLANK_TAG],
			   DB_VALUES(db_id(workspace), db_text(name), db_text(value)), NULL, error);
}

bool
store_figure_tag_forget(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	AUTO(db_rows) tags =
	    db_select(db, sql[OWN_TAGS], DB_VALUES(db_id(email), db_id(workspace)), error);

	if (!tags)
		return false;
	while (db_rows_next(tags))
		if (!fold_forget(db, workspace, db_rows_text(tags, OWN_TAGS_NAME),
			db_rows_text(tags, OWN_TAGS_VALUE), error))
			return false;
	return true;
}
