/* SPDX-License-Identifier: MIT */
/* Stores imports of contacts, and claims them for the spool. */
#include "store/person/import.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/import.h"
#include "base/limits/unit.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"

#define PIECE_BYTES LIMIT_MIB

#define SWEEP_BATCH 20

#define IMPORT_COLUMNS(FIRST, NEXT)                                                                \
	FIRST(id, "id")                                                                            \
	NEXT(status, "status")                                                                     \
	NEXT(counts.created, "created_rows")                                                       \
	NEXT(counts.updated, "updated_rows")                                                       \
	NEXT(counts.same, "same_rows")                                                             \
	NEXT(counts.skipped, "skipped_rows")                                                       \
	NEXT(counts.failed, "failed_rows")                                                         \
	NEXT(counts.kept, "kept_rows")                                                             \
	NEXT(completed, "completed")                                                               \
	NEXT(front, "front")                                                                       \
	NEXT(audience_id, "audience_id", has_audience)                                             \
	NEXT(filename, "filename")                                                                 \
	NEXT(is_dry, "is_dry")                                                                     \
	NEXT(faults, "fault_rows")                                                                 \
	NEXT(error, "error")
#define COLUMNS DB_COLUMNS_SQL(IMPORT_COLUMNS)
#define SHOWN_COLUMNS(FIRST, NEXT) IMPORT_COLUMNS(FIRST, NEXT) NEXT(plan, "plan")
#define SHOWN DB_COLUMNS_SQL(SHOWN_COLUMNS)
#define DUE_COLUMNS(FIRST, NEXT)                                                                   \
	SHOWN_COLUMNS(FIRST, NEXT)                                                                 \
	NEXT(workspace_id, "workspace_id")                                                         \
	NEXT(place, "place")                                                                       \
	NEXT(line, "place_line")                                                                   \
	NEXT(is_put, "is_put")
#define COLUMNS_OF_DUE DB_COLUMNS_SQL(DUE_COLUMNS)
#define FAULT_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(line, "line")                                                                        \
	NEXT(is_refused, "is_refused")                                                             \
	NEXT(message, "message")                                                                   \
	NEXT(record, "record")
#define OF_FAULT DB_COLUMNS_SQL(FAULT_COLUMNS)

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
	STEP,
	ADVANCE,
	FINISH,
	REMOVE_PIECES,
	ADD_FAULT,
	FAULTS,
	REFUSED,
	FORGET,
	OLD,
	REMOVE_FAULTS,
	REMOVE
};
/* System-wide: DUE, OLD. The spool works on the imports of all workspaces. */
/* By checked ids: REMOVE_FAULTS, REMOVE. OLD has found the imports. */
static const char *const sql[] = {
    [TURN] = "UPDATE workspace SET turn = turn + 1 WHERE id = ?",
    [COUNT] = "SELECT COUNT(*) FROM contact_import WHERE workspace_id = ? AND due IS NOT NULL",
    [CREATE] =
	"INSERT INTO contact_import (id, workspace_id, status, plan, due, place, place_line, front,"
	" audience_id, filename, is_dry) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_PIECE] = "INSERT INTO contact_import_piece (import_id, number, workspace_id, data)"
		  " VALUES (?, ?, ?, ?)",
    [GET] = "SELECT " SHOWN " FROM contact_import"
	    " WHERE id = ? AND workspace_id = ? AND front = ?",
    [DUE] = "SELECT " COLUMNS_OF_DUE ", left_out FROM contact_import"
	    " FORCE INDEX (due) WHERE due <= ? ORDER BY due, id LIMIT 1 FOR UPDATE SKIP LOCKED",
    [WAIT] = "UPDATE contact_import SET due = ? WHERE workspace_id = ? AND due < ?",
    [CLAIM] =
	"UPDATE contact_import SET status = " CONTACT_IMPORT_IN_PROGRESS_SQL ", due = ?, token = ?"
	" WHERE id = ? AND workspace_id = ?",
    [PIECES] = "SELECT data FROM contact_import_piece WHERE import_id = ? AND workspace_id = ?"
	       " ORDER BY number",
    [PUT] = "UPDATE contact_import SET due = ?, is_put = 1, left_out = ?,"
	    " created_rows = created_rows + ?, updated_rows = updated_rows + ?,"
	    " same_rows = same_rows + ?, skipped_rows = skipped_rows + ?,"
	    " failed_rows = failed_rows + ?, kept_rows = kept_rows + ?"
	    " WHERE id = ? AND workspace_id = ? AND token = ?",
    [STEP] = "UPDATE contact_import SET due = ?, place = ?, place_line = ?,"
	     " created_rows = created_rows + ?, updated_rows = updated_rows + ?,"
	     " same_rows = same_rows + ?, skipped_rows = skipped_rows + ?,"
	     " failed_rows = failed_rows + ?, kept_rows = kept_rows + ?,"
	     " fault_rows = fault_rows + ? WHERE id = ? AND workspace_id = ? AND token = ?",
    [ADVANCE] = "UPDATE contact_import SET due = ?, is_put = 0, left_out = NULL, place = ?,"
		" place_line = ?"
		" WHERE id = ? AND workspace_id = ? AND token = ?",
    [FINISH] = "UPDATE contact_import SET due = NULL, status = ?, completed = ?, error = ?"
	       " WHERE id = ? AND workspace_id = ? AND token = ?",
    [REMOVE_PIECES] = "DELETE FROM contact_import_piece WHERE import_id = ? AND workspace_id = ?",
    [ADD_FAULT] = "INSERT IGNORE INTO contact_import_fault"
		  " (import_id, line, workspace_id, is_refused, message, record)"
		  " VALUES (?, ?, ?, ?, ?, ?)",
    [FAULTS] = "SELECT " OF_FAULT " FROM contact_import_fault"
	       " WHERE import_id = ? AND line > ? AND workspace_id = ? ORDER BY line LIMIT ?",
    [REFUSED] = "SELECT " OF_FAULT " FROM contact_import_fault"
		" WHERE import_id = ? AND line > ? AND workspace_id = ? AND is_refused = 1"
		" ORDER BY line LIMIT ?",
    [FORGET] = "DELETE FROM contact_import_fault WHERE workspace_id = ?"
	       " AND (INSTR(LOWER(COALESCE(record, '')), ?) > 0 OR INSTR(LOWER(message), ?) > 0)",
    [OLD] = "SELECT id FROM contact_import WHERE id < ? AND due IS NULL ORDER BY id LIMIT ?"
	    " FOR UPDATE SKIP LOCKED",
    [REMOVE_FAULTS] = "DELETE FROM contact_import_fault WHERE import_id = ?",
    [REMOVE] = "DELETE FROM contact_import WHERE id = ?",
};

/* The column of DUE, behind COLUMNS_OF_DUE. */
enum { DUE_LEFT_OUT = DB_COLUMNS_END(DUE_COLUMNS) };

void
store_contact_import_free(struct store_contact_import *import)
{
	g_free(import->plan);
	g_free(import->filename);
	g_free(import->error);
	g_free(import);
}

void
store_contact_import_fault_free(struct store_contact_import_fault *fault)
{
	g_free(fault->message);
	g_free(fault->record);
	g_free(fault);
}

struct creation {
	const struct store_contact_import *import;
	GBytes *file;
};

/* Reserves room for an import until the transaction ends. */
static bool
import_hold(struct db *db, const struct base_id *workspace, GError **error)
{
	if (!db_run(db, sql[TURN], DB_VALUES(db_id(workspace)), NULL, error))
		return false;
	AUTO(db_rows) rows = db_select(db, sql[COUNT], DB_VALUES(db_id(workspace)), error);
	if (!rows || !db_rows_next(rows))
		return false;
	return db_rows_int(rows, DB_ROWS_ONLY) < LIMIT_IMPORTS ||
	       base_fail(error, PH_ERROR_LIMITED,
		   "Limit reached: at most %d contact imports that are not completed",
		   LIMIT_IMPORTS);
}

static bool
import_create(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	const struct store_contact_import *import = creation->import;
	gsize size;
	const guint8 *data = g_bytes_get_data(creation->file, &size);

	if (!import_hold(db, &import->workspace_id, error) ||
	    !db_run(db, sql[CREATE],
		DB_VALUES(db_id(&import->id), db_id(&import->workspace_id), db_text(import->plan),
		    db_int(base_clock_now()), db_int(import->place), db_int(import->line),
		    db_int(import->front),
		    db_id(import->has_audience ? &import->audience_id : NULL),
		    db_text(import->filename ? import->filename : ""), db_int(import->is_dry)),
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
	return db_transact(db, import_create, &creation, error);
}

STORE_LISTING_READER(import_read_row, struct store_contact_import, IMPORT_COLUMNS)
STORE_LISTING_READER(import_read_shown, struct store_contact_import, SHOWN_COLUMNS)
DB_COLUMNS_MAKER(import_read_due, struct store_contact_import, DUE_COLUMNS)
DB_COLUMNS_MAKER(import_read_fault, struct store_contact_import_fault, FAULT_COLUMNS)

bool
store_contact_import_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Import not found");
}

struct store_contact_import *
store_contact_import_get(struct db *db, const struct base_id *workspace,
    enum store_contact_import_front front, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows =
	    db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace), db_int(front)), error);

	if (rows && db_rows_next(rows))
		return import_read_shown(rows, workspace);
	if (rows && front == CONTACT_IMPORT_MAIN)
		store_contact_import_missing(error);
	else if (rows)
		base_fail(error, PH_ERROR_NOT_FOUND, "Contact import not found");
	return NULL;
}

STORE_LISTING(listing, import_read_shown, store_contact_import_destroy,
    "SELECT " SHOWN
    " FROM contact_import WHERE workspace_id = ? AND front = " CONTACT_IMPORT_MAIN_SQL,
    "id");

GPtrArray *
store_contact_import_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

GPtrArray *
store_contact_import_faults(struct db *db, const struct store_contact_import *import, gint64 after,
    bool refused, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[refused ? REFUSED : FAULTS],
	    DB_VALUES(
		db_id(&import->id), db_int(after), db_id(&import->workspace_id), db_int(limit)),
	    error);
	GPtrArray *faults =
	    rows ? g_ptr_array_new_with_free_func(store_contact_import_fault_destroy) : NULL;

	while (rows && db_rows_next(rows))
		g_ptr_array_add(faults, import_read_fault(rows));
	return faults;
}

bool
store_contact_import_forget(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	return db_run(db, sql[FORGET],
	    DB_VALUES(db_id(workspace), db_text(address), db_text(address)), NULL, error);
}

struct sweep {
	struct base_id before;
	guint count;
};

static bool
sweep_some(struct db *db, void *context, GError **error)
{
	struct sweep *sweep = context;
	struct base_id ids[SWEEP_BATCH];

	sweep->count = 0;
	AUTO(db_rows)
	rows =
	    db_select(db, sql[OLD], DB_VALUES(db_id(&sweep->before), db_int(SWEEP_BATCH)), error);
	while (rows && db_rows_next(rows))
		db_rows_id(rows, DB_ROWS_ONLY, &ids[sweep->count++]);
	for (guint i = 0; rows && i < sweep->count; i++)
		if (!db_run(db, sql[REMOVE_FAULTS], DB_VALUES(db_id(&ids[i])), NULL, error) ||
		    !db_run(db, sql[REMOVE], DB_VALUES(db_id(&ids[i])), NULL, error))
			return false;
	return rows != NULL;
}

bool
store_contact_import_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	struct sweep sweep = {.before = base_id_floor(before)};
	bool done = db_transact(db, sweep_some, &sweep, error);

	*count_r = sweep.count;
	return done;
}

#define ROWS(filter)                                                                               \
	STORE_LISTING_OF(import_read_row, store_contact_import_destroy,                            \
	    "SELECT " COLUMNS                                                                      \
	    " FROM contact_import WHERE workspace_id = ? AND front = " CONTACT_IMPORT_MAPPED_SQL   \
		filter,                                                                            \
	    "id")
/* The lists of CONTACT_IMPORT_MAPPED by status; 0: of any. */
static const struct store_listing lists[] = {
    [0] = ROWS(""),
    [CONTACT_IMPORT_QUEUED] = ROWS(" AND status = " CONTACT_IMPORT_QUEUED_SQL),
    [CONTACT_IMPORT_IN_PROGRESS] = ROWS(" AND status = " CONTACT_IMPORT_IN_PROGRESS_SQL),
    [CONTACT_IMPORT_COMPLETED] = ROWS(" AND status = " CONTACT_IMPORT_COMPLETED_SQL),
    [CONTACT_IMPORT_FAILED] = ROWS(" AND status = " CONTACT_IMPORT_FAILED_SQL),
};

GPtrArray *
store_contact_import_page(struct db *db, const struct base_id *workspace,
    enum store_contact_import_status status, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &lists[status], workspace, page, error);
}

/* Reads a row of DUE. */
static struct store_contact_import *
read_due(struct db_rows *rows)
{
	struct store_contact_import *import = import_read_due(rows);
	gsize size;
	const void *bits = db_rows_bytes(rows, DUE_LEFT_OUT, &size);

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

guint
store_contact_import_room(const struct store_contact_import *import, const GPtrArray *faults)
{
	return (guint)MIN((gint64)faults->len, LIMIT_IMPORT_FAULTS - import->faults);
}

static bool
add_faults(struct db *db, const struct store_contact_import *import, const GPtrArray *faults,
    guint count, GError **error)
{
	for (guint i = 0; i < count; i++) {
		const struct store_contact_import_fault *fault = faults->pdata[i];

		if (!db_defer_row(db, sql[ADD_FAULT],
			DB_VALUES(db_id(&import->id), db_int(fault->line),
			    db_id(&import->workspace_id), db_int(fault->is_refused),
			    db_text(fault->message), db_text(fault->record)),
			error))
			return false;
	}
	return true;
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
		       db_int(counts->updated), db_int(counts->same), db_int(counts->skipped),
		       db_int(counts->failed), db_int(counts->kept), db_id(&import->id),
		       db_id(&import->workspace_id), db_id(&import->token)),
		   &affected, error) &&
	       check_claim(affected, error);
}

bool
store_contact_import_step(struct db *db, const struct store_contact_import *import,
    const struct store_contact_import_part *part, gint64 lease, GError **error)
{
	const struct store_contact_import_counts *counts = &part->counts;
	guint kept = store_contact_import_room(import, part->faults);
	guint64 affected;

	return db_run(db, sql[STEP],
		   DB_VALUES(db_int(base_clock_now() + lease), db_int(part->place),
		       db_int(part->line), db_int(counts->created), db_int(counts->updated),
		       db_int(counts->same), db_int(counts->skipped), db_int(counts->failed),
		       db_int(counts->kept), db_int(kept), db_id(&import->id),
		       db_id(&import->workspace_id), db_id(&import->token)),
		   &affected, error) &&
	       check_claim(affected, error) && add_faults(db, import, part->faults, kept, error);
}

bool
store_contact_import_advance(struct db *db, const struct store_contact_import *import, gint64 place,
    gint64 line, gint64 lease, GError **error)
{
	guint64 affected;

	return db_run(db, sql[ADVANCE],
		   DB_VALUES(db_int(base_clock_now() + lease), db_int(place), db_int(line),
		       db_id(&import->id), db_id(&import->workspace_id), db_id(&import->token)),
		   &affected, error) &&
	       check_claim(affected, error);
}

struct finish {
	const struct store_contact_import *import;
	enum store_contact_import_status status;
	const char *why;
};

static bool
finish(struct db *db, void *context, GError **error)
{
	const struct finish *finish = context;
	const struct store_contact_import *import = finish->import;
	guint64 affected;

	return db_run(db, sql[FINISH],
		   DB_VALUES(db_int(finish->status), db_int(base_clock_now()), db_text(finish->why),
		       db_id(&import->id), db_id(&import->workspace_id), db_id(&import->token)),
		   &affected, error) &&
	       check_claim(affected, error) &&
	       db_run(db, sql[REMOVE_PIECES],
		   DB_VALUES(db_id(&import->id), db_id(&import->workspace_id)), NULL, error);
}

bool
store_contact_import_finish(struct db *db, const struct store_contact_import *import,
    enum store_contact_import_status status, const char *why, GError **error)
{
	struct finish context = {import, status, why};

	return db_transact(db, finish, &context, error);
}
