/* SPDX-License-Identifier: MIT */
/* Stores imports of contacts, and claims them for the spool. */
#include "store/contact_import.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/listing.h"

#define PIECE_BYTES LIMIT_MIB

#define COLUMNS "id, status, created_rows, updated_rows, skipped_rows, failed_rows, completed"
/* The columns of COLUMNS. */
enum { I_ID, I_STATUS, I_CREATED, I_UPDATED, I_SKIPPED, I_FAILED, I_COMPLETED, I_END };

#define OLDER_ROWS(filter)                                                                         \
	"SELECT " COLUMNS " FROM contact_import WHERE workspace_id = ? AND id < ?" filter          \
	" ORDER BY id DESC LIMIT ?"
#define NEWER_ROWS(filter)                                                                         \
	"SELECT " COLUMNS " FROM contact_import WHERE workspace_id = ? AND id > ?" filter          \
	" ORDER BY id LIMIT ?"

/* The lists by status; 0: of any. */
static const struct store_page_sql lists[] = {
    [0] = {OLDER_ROWS(""), NEWER_ROWS("")},
    [CONTACT_IMPORT_QUEUED] = {OLDER_ROWS(" AND status = 1"), NEWER_ROWS(" AND status = 1")},
    [CONTACT_IMPORT_IN_PROGRESS] = {OLDER_ROWS(" AND status = 2"), NEWER_ROWS(" AND status = 2")},
    [CONTACT_IMPORT_COMPLETED] = {OLDER_ROWS(" AND status = 3"), NEWER_ROWS(" AND status = 3")},
    [CONTACT_IMPORT_FAILED] = {OLDER_ROWS(" AND status = 4"), NEWER_ROWS(" AND status = 4")},
};

enum {
	TURN,
	COUNT,
	CREATE,
	ADD_PIECE,
	GET,
	DUE,
	WAIT,
	CLAIM,
	PIECES,
	PUT,
	ADVANCE,
	FINISH,
	REMOVE_PIECES
};
/* System-wide: DUE. The spool works on the imports of all workspaces. */
static const char *const sql[] = {
    [TURN] = "UPDATE workspace SET turn = turn + 1 WHERE id = ?",
    [COUNT] = "SELECT COUNT(*) FROM contact_import WHERE workspace_id = ? AND due IS NOT NULL",
    [CREATE] = "INSERT INTO contact_import (id, workspace_id, status, plan, due, place)"
	       " VALUES (?, ?, 1, ?, ?, ?)",
    [ADD_PIECE] = "INSERT INTO contact_import_piece (import_id, number, workspace_id, data)"
		  " VALUES (?, ?, ?, ?)",
    [GET] = "SELECT " COLUMNS " FROM contact_import WHERE id = ? AND workspace_id = ?",
    [DUE] = "SELECT " COLUMNS ", workspace_id, plan, place, is_put, left_out FROM contact_import"
	    " FORCE INDEX (due) WHERE due <= ? ORDER BY due, id LIMIT 1 FOR UPDATE SKIP LOCKED",
    [WAIT] = "UPDATE contact_import SET due = ? WHERE workspace_id = ? AND due < ?",
    [CLAIM] = "UPDATE contact_import SET status = 2, due = ?, token = ?"
	      " WHERE id = ? AND workspace_id = ?",
    [PIECES] = "SELECT data FROM contact_import_piece WHERE import_id = ? AND workspace_id = ?"
	       " ORDER BY number",
    [PUT] = "UPDATE contact_import SET due = ?, is_put = 1, left_out = ?,"
	    " created_rows = created_rows + ?, updated_rows = updated_rows + ?,"
	    " skipped_rows = skipped_rows + ?, failed_rows = failed_rows + ?"
	    " WHERE id = ? AND workspace_id = ? AND token = ?",
    [ADVANCE] = "UPDATE contact_import SET due = ?, is_put = 0, left_out = NULL, place = ?"
		" WHERE id = ? AND workspace_id = ? AND token = ?",
    [FINISH] = "UPDATE contact_import SET due = NULL, status = ?, completed = ?"
	       " WHERE id = ? AND workspace_id = ? AND token = ?",
    [REMOVE_PIECES] = "DELETE FROM contact_import_piece WHERE import_id = ? AND workspace_id = ?",
};

/* The columns of DUE, behind COLUMNS. */
enum { I_WORKSPACE = I_END, I_PLAN, I_PLACE, I_IS_PUT, I_LEFT_OUT };

void
store_contact_import_free(struct store_contact_import *import)
{
	g_free(import->plan);
	g_free(import);
}

static void
free_import(void *import)
{
	store_contact_import_free(import);
}

struct creation {
	const struct store_contact_import *import;
	GBytes *file;
};

/* Reserves room for an import until the transaction ends. */
static bool
hold(struct db *db, const struct base_id *workspace, GError **error)
{
	if (!db_run(db, sql[TURN], DB_VALUES(db_id(workspace)), NULL, error))
		return false;
	AUTO(db_rows) rows = db_select(db, sql[COUNT], DB_VALUES(db_id(workspace)), error);
	if (!rows || !db_rows_next(rows))
		return false;
	return db_rows_int(rows, DB_ROWS_ONLY) < LIMIT_RESEND_IMPORTS ||
	       base_fail(error, PH_ERROR_LIMITED,
		   "Limit reached: at most %d contact imports that are not completed",
		   LIMIT_RESEND_IMPORTS);
}

static bool
create(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	const struct store_contact_import *import = creation->import;
	gsize size;
	const guint8 *data = g_bytes_get_data(creation->file, &size);

	if (!hold(db, &import->workspace_id, error) ||
	    !db_run(db, sql[CREATE],
		DB_VALUES(db_id(&import->id), db_id(&import->workspace_id), db_text(import->plan),
		    db_int(base_clock_now()), db_int(import->place)),
		NULL, error))
		return false;
	for (gsize i = 0; i * PIECE_BYTES < size; i++)
		if (!db_run(db, sql[ADD_PIECE],
			DB_VALUES(db_id(&import->id), db_int((gint64)i),
			    db_id(&import->workspace_id),
			    db_bytes(
				data + i * PIECE_BYTES, MIN(size - i * PIECE_BYTES, PIECE_BYTES))),
			NULL, error))
			return false;
	return true;
}

bool
store_contact_import_create(
    struct db *db, struct store_contact_import *import, GBytes *file, GError **error)
{
	struct creation creation = {import, file};

	import->id = base_id_new();
	return db_transact(db, create, &creation, error);
}

static void *
read_row(struct db_rows *rows, const struct base_id *workspace)
{
	struct store_contact_import *import = g_new0(struct store_contact_import, 1);

	db_rows_id(rows, I_ID, &import->id);
	import->workspace_id = *workspace;
	import->status = (enum store_contact_import_status)db_rows_int(rows, I_STATUS);
	import->counts = (struct store_contact_import_counts){db_rows_int(rows, I_CREATED),
	    db_rows_int(rows, I_UPDATED), db_rows_int(rows, I_SKIPPED),
	    db_rows_int(rows, I_FAILED)};
	import->completed = db_rows_int(rows, I_COMPLETED);
	return import;
}

struct store_contact_import *
store_contact_import_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error);

	if (rows && db_rows_next(rows))
		return read_row(rows, workspace);
	if (rows)
		base_fail(error, PH_ERROR_NOT_FOUND, "Contact import not found");
	return NULL;
}

GPtrArray *
store_contact_import_page(struct db *db, const struct base_id *workspace,
    enum store_contact_import_status status, const struct store_page *page, GError **error)
{
	return store_listing_page(
	    db, &lists[status], workspace, page, read_row, free_import, error);
}

/* Reads a row of DUE. */
static struct store_contact_import *
read_due(struct db_rows *rows)
{
	struct base_id workspace;
	gsize size;

	db_rows_id(rows, I_WORKSPACE, &workspace);
	struct store_contact_import *import = read_row(rows, &workspace);
	import->plan = g_strdup(db_rows_text(rows, I_PLAN));
	import->place = db_rows_int(rows, I_PLACE);
	import->is_put = db_rows_int(rows, I_IS_PUT) != 0;
	const void *bits = db_rows_bytes(rows, I_LEFT_OUT, &size);
	if (bits)
		memcpy(import->left_out, bits, MIN(size, sizeof(import->left_out)));
	return import;
}

struct claim {
	gint64 now, lease;
	struct store_contact_import *import; /* NULL: none */
};

static bool
claim_one(struct db *db, void *context, GError **error)
{
	struct claim *claim = context;

	g_clear_pointer(&claim->import, store_contact_import_free);
	AUTO(db_rows) rows = db_select(db, sql[DUE], DB_VALUES(db_int(claim->now)), error);
	if (!rows || !db_rows_next(rows))
		return rows != NULL;
	claim->import = read_due(rows);
	claim->import->token = base_id_new();
	/* The others of this workspace wait until each other workspace has had its turn. */
	return db_run(db, sql[WAIT],
		   DB_VALUES(
		       db_int(claim->now), db_id(&claim->import->workspace_id), db_int(claim->now)),
		   NULL, error) &&
	       db_run(db, sql[CLAIM],
		   DB_VALUES(db_int(claim->now + claim->lease), db_id(&claim->import->token),
		       db_id(&claim->import->id), db_id(&claim->import->workspace_id)),
		   NULL, error);
}

bool
store_contact_import_claim(
    struct db *db, gint64 lease, struct store_contact_import **import_r, GError **error)
{
	struct claim claim = {base_clock_now(), lease, NULL};
	bool done = db_transact(db, claim_one, &claim, error);

	if (!done)
		g_clear_pointer(&claim.import, store_contact_import_free);
	*import_r = claim.import;
	return done;
}

GBytes *
store_contact_import_file(struct db *db, const struct store_contact_import *import, GError **error)
{
	AUTO(db_rows) rows = db_select(
	    db, sql[PIECES], DB_VALUES(db_id(&import->id), db_id(&import->workspace_id)), error);
	g_autoptr(GByteArray) file = g_byte_array_new();
	gsize size;

	if (!rows)
		return NULL;
	while (db_rows_next(rows)) {
		const void *piece = db_rows_bytes(rows, DB_ROWS_ONLY, &size);

		g_byte_array_append(file, piece, (guint)size);
	}
	return g_byte_array_free_to_bytes(g_steal_pointer(&file));
}

static bool
check_claim(guint64 affected, GError **error)
{
	return affected > 0 ||
	       base_fail(error, PH_ERROR_CONFLICT, "Another process has taken the import over");
}

bool
store_contact_import_put(struct db *db, const struct store_contact_import *import,
    const struct store_contact_import_counts *counts, const guint8 *left_out, gint64 lease,
    GError **error)
{
	guint64 affected;

	return db_run(db, sql[PUT],
		   DB_VALUES(db_int(base_clock_now() + lease),
		       db_bytes(left_out, STORE_CONTACT_IMPORT_BITS), db_int(counts->created),
		       db_int(counts->updated), db_int(counts->skipped), db_int(counts->failed),
		       db_id(&import->id), db_id(&import->workspace_id), db_id(&import->token)),
		   &affected, error) &&
	       check_claim(affected, error);
}

bool
store_contact_import_advance(struct db *db, const struct store_contact_import *import, gint64 place,
    gint64 lease, GError **error)
{
	guint64 affected;

	return db_run(db, sql[ADVANCE],
		   DB_VALUES(db_int(base_clock_now() + lease), db_int(place), db_id(&import->id),
		       db_id(&import->workspace_id), db_id(&import->token)),
		   &affected, error) &&
	       check_claim(affected, error);
}

struct finish {
	const struct store_contact_import *import;
	enum store_contact_import_status status;
};

static bool
finish(struct db *db, void *context, GError **error)
{
	const struct finish *finish = context;
	const struct store_contact_import *import = finish->import;
	guint64 affected;

	return db_run(db, sql[FINISH],
		   DB_VALUES(db_int(finish->status), db_int(base_clock_now()), db_id(&import->id),
		       db_id(&import->workspace_id), db_id(&import->token)),
		   &affected, error) &&
	       check_claim(affected, error) &&
	       db_run(db, sql[REMOVE_PIECES],
		   DB_VALUES(db_id(&import->id), db_id(&import->workspace_id)), NULL, error);
}

bool
store_contact_import_finish(struct db *db, const struct store_contact_import *import,
    enum store_contact_import_status status, GError **error)
{
	struct finish context = {import, status};

	return db_transact(db, finish, &context, error);
}
