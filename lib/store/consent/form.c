/* SPDX-License-Identifier: MIT */
/* Creates, reads, changes and removes forms, and counts their uses. */
#include "store/consent/form.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "db/statement.h"
#include "store/common/listing.h"

#define FORM_COLUMNS(FIRST, NEXT)                                                                  \
	FIRST(id, "f.id")                                                                          \
	NEXT(workspace_id, "f.workspace_id")                                                       \
	NEXT(audience_id, "f.audience_id")                                                         \
	NEXT(name, "f.name")                                                                       \
	NEXT(topics, "f.topics")                                                                   \
	NEXT(fields, "f.fields")                                                                   \
	NEXT(redirect_url, "f.redirect_url")                                                       \
	NEXT(double_opt_in, "f.double_opt_in")                                                     \
	NEXT(per_network, "f.per_network")                                                         \
	NEXT(created, "f.created")                                                                 \
	NEXT(updated, "f.updated")                                                                 \
	NEXT(origins, "f.origins")

/* A form goes with its audience. */
#define FORMS                                                                                      \
	"SELECT " DB_COLUMNS_SQL(FORM_COLUMNS) " FROM form f"                                      \
					       " JOIN audience a ON a.id = f.audience_id AND "     \
					       "a.workspace_id = f.workspace_id WHERE "
#define BATCH 500

enum { CREATE, CHANGE, GET, GET_ANY, REMOVE, USE, USES, SWEEP };
/* System-wide: GET_ANY, SWEEP. A form's id is public, and uses grow old in all workspaces. */
static const char *const sql[] = {
    [CREATE] = "INSERT INTO form (id, workspace_id, audience_id, name, topics, fields,"
	       " redirect_url, double_opt_in, per_network, created, updated, origins)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [CHANGE] = "UPDATE form SET audience_id = ?, name = ?, topics = ?, fields = ?,"
	       " redirect_url = ?, double_opt_in = ?, per_network = ?, updated = ?,"
	       " origins = ?"
	       " WHERE id = ? AND workspace_id = ?",
    [GET] = FORMS "f.id = ? AND f.workspace_id = ?",
    [GET_ANY] = FORMS "f.id = ?",
    [REMOVE] = "DELETE FROM form WHERE id = ? AND workspace_id = ?",
    [USE] = "INSERT INTO form_use (form_id, who, workspace_id, started, uses)"
	    " VALUES (?, ?, ?, ?, 1) ON DUPLICATE KEY UPDATE"
	    " uses = IF(started <= ?, 1, uses + 1), started = IF(started <= ?, ?, started)",
    [USES] = "SELECT uses, started FROM form_use"
	     " WHERE form_id = ? AND who = ? AND workspace_id = ?",
    [SWEEP] = "DELETE FROM form_use WHERE started < ? ORDER BY started LIMIT ?",
};

/* The columns of USES. */
enum { USES_COUNT, USES_STARTED };

void
store_form_free(struct store_form *form)
{
	g_free(form->name);
	g_free(form->topics);
	g_free(form->fields);
	g_free(form->redirect_url);
	g_free(form->origins);
	g_free(form);
}

bool
store_form_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Form not found");
}

bool
store_form_create(struct db *db, struct store_form *form, GError **error)
{
	struct store_form *f = form;

	f->id = base_id_new();
	f->created = f->updated = base_clock_now();
	return db_run(db, sql[CREATE],
	    DB_VALUES(db_id(&f->id), db_id(&f->workspace_id), db_id(&f->audience_id),
		db_text(f->name), db_text(f->topics), db_text(f->fields), db_text(f->redirect_url),
		db_int(f->double_opt_in), db_int(f->per_network), db_int(f->created),
		db_int(f->updated), db_text(f->origins ? f->origins : "null")),
	    NULL, error);
}

bool
store_form_change(struct db *db, struct store_form *form, GError **error)
{
	struct store_form *f = form;
	guint64 found;

	f->updated = base_clock_now();
	return db_run(db, sql[CHANGE],
		   DB_VALUES(db_id(&f->audience_id), db_text(f->name), db_text(f->topics),
		       db_text(f->fields), db_text(f->redirect_url), db_int(f->double_opt_in),
		       db_int(f->per_network), db_int(f->updated),
		       db_text(f->origins ? f->origins : "null"), db_id(&f->id),
		       db_id(&f->workspace_id)),
		   &found, error) &&
	       (found > 0 || store_form_missing(error));
}

DB_COLUMNS_MAKER(form_make, struct store_form, FORM_COLUMNS)

static void *
form_read_row(struct db_rows *rows, const struct base_id *workspace)
{
	return form_make(rows);
}

struct store_form *
store_form_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return store_listing_one(
	    workspace ? db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error)
		      : db_select(db, sql[GET_ANY], DB_VALUES(db_id(id)), error),
	    workspace, form_read_row, store_form_missing, error);
}

bool
store_form_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	guint64 found;

	return db_run(db, sql[REMOVE], DB_VALUES(db_id(id), db_id(workspace)), &found, error) &&
	       (found > 0 || store_form_missing(error));
}

STORE_LISTING(listing, form_read_row, store_form_destroy, FORMS "f.workspace_id = ?", "f.id");

GPtrArray *
store_form_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

bool
store_form_use(struct db *db, const struct store_form *form, const guint8 who[FORM_WHO_SIZE],
    guint *use_r, gint64 *left_ms_r, GError **error)
{
	gint64 now = base_clock_now(), over = now - LIMIT_FORM_HOUR_MS;
	struct db_value someone = db_bytes(who, FORM_WHO_SIZE);

	if (!db_run(db, sql[USE],
		DB_VALUES(db_id(&form->id), someone, db_id(&form->workspace_id), db_int(now),
		    db_int(over), db_int(over), db_int(now)),
		NULL, error))
		return false;
	AUTO(db_rows)
	rows = db_select(
	    db, sql[USES], DB_VALUES(db_id(&form->id), someone, db_id(&form->workspace_id)), error);
	if (!rows)
		return false;
	bool found = db_rows_next(rows);
	*use_r = found ? (guint)db_rows_int(rows, USES_COUNT) : 1;
	*left_ms_r = found ? MAX(db_rows_int(rows, USES_STARTED) + LIMIT_FORM_HOUR_MS - now, 1) : 1;
	return true;
}

bool
store_form_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 affected = 0;
	bool done =
	    db_run(db, sql[SWEEP], DB_VALUES(db_int(before), db_int(BATCH)), &affected, error);

	*count_r = (guint)affected;
	return done;
}
