/* SPDX-License-Identifier: MIT */
/* Lists of rows, newest first, in pages, and single rows; shared by all tables. Errors that a
   function does not name are those of db/statement.h. */
#ifndef STORE_COMMON_LISTING_H
#define STORE_COMMON_LISTING_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "db/columns.h"
#include "db/value.h"

struct db;
struct db_rows;

/* The id below which the page begins. before NULL: the first page. */
struct db_value store_listing_before(const struct base_id *before);

/* A page of a list whose ids are in the order of time: the rows next to a cursor, which need not
   exist any more and is not among them. */
enum store_page_side {
	STORE_PAGE_FIRST, /* no cursor: the newest rows */
	STORE_PAGE_OLDER,
	STORE_PAGE_NEWER,
};
struct store_page {
	enum store_page_side side; /* of the cursor, on which the rows are */
	struct base_id cursor;
	guint limit; /* rows at most */
};

/* The rows that a page did not look at, though it is short: those with ids below one. */
struct store_rest {
	bool is_any;
	struct base_id id;
};

/* A list: its statements, each of which takes the workspace, an id and the limit, and how its rows
   are made and freed. */
struct store_listing {
	const char *older; /* id < ? ORDER BY id DESC */
	const char *newer; /* id > ? ORDER BY id */
	void *(*read)(struct db_rows *rows, const struct base_id *workspace);
	GDestroyNotify release;
};

/* Defines a list, or is one: rows is the statement up to the condition on the id. */
#define STORE_LISTING(name, reader, destroy, rows, id)                                             \
	static const struct store_listing name = STORE_LISTING_OF(reader, destroy, rows, id)
#define STORE_LISTING_OF(reader, destroy, rows, id)                                                \
	{                                                                                          \
		rows " AND " id " < ? ORDER BY " id " DESC LIMIT ?",                               \
		    rows " AND " id " > ? ORDER BY " id " LIMIT ?", reader, destroy                \
	}

/* Defines a static function that makes a row for the functions below: it has the workspace_id, and
   the columns of LIST (db/columns.h), which begin the result. */
#define STORE_LISTING_READER(name, type, LIST)                                                     \
	DB_COLUMNS_MAKER(name##_own, type, LIST)                                                   \
                                                                                                   \
	static void *name(struct db_rows *rows, const struct base_id *workspace)                   \
	{                                                                                          \
		type *row = name##_own(rows);                                                      \
                                                                                                   \
		row->workspace_id = *workspace;                                                    \
		return row;                                                                        \
	}

/* Reads a page of a list of a workspace, newest first on either side. The caller owns the array. */
GPtrArray *store_listing_page(struct db *db, const struct store_listing *list,
    const struct base_id *workspace, const struct store_page *page, GError **error);

/* The same for the rows older than before (NULL: from the newest on), at most limit. */
GPtrArray *store_listing_read(struct db *db, const struct store_listing *list,
    const struct base_id *workspace, const struct base_id *before, guint limit, GError **error);

/* Frees a result of one row or none, and returns the row, made by read. missing sets the error when
   there is none. rows NULL: NULL, for the error that is set already. The caller owns the row. */
void *store_listing_one(struct db_rows *rows, const struct base_id *workspace,
    void *(*read)(struct db_rows *rows, const struct base_id *workspace),
    bool (*missing)(GError **error), GError **error);

/* Turns a page that was read from its oldest row on. */
void store_listing_reverse(GPtrArray *list);

/* Finds the id of the row with this name. sql takes the workspace and the name, and gives ids.
   NOT_FOUND; INVALID when several have the name; kind names the row in both errors ("audience"). */
bool store_listing_find(struct db *db, const char *sql, const struct base_id *workspace,
    const char *name, const char *kind, struct base_id *id_r, GError **error);

#endif
