/* SPDX-License-Identifier: MIT */
/* Stores, reads and removes confirmations. */
#include "store/consent/confirmation.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/consent/consent.h"
#include "store/person/membership.h"

#define CONFIRMATION_COLUMNS(FIRST, NEXT)                                                          \
	FIRST(id, "id")                                                                            \
	NEXT(workspace_id, "workspace_id")                                                         \
	NEXT(audience_id, "audience_id")                                                           \
	NEXT(contact_id, "contact_id")                                                             \
	NEXT(form_id, "form_id", has_form)                                                         \
	NEXT(address, "person")                                                                    \
	NEXT(given, "given")                                                                       \
	NEXT(created, "created")                                                                   \
	NEXT(resent, "resent")                                                                     \
	NEXT(used, "used")
#define COLUMNS DB_COLUMNS_SQL(CONFIRMATION_COLUMNS)

#define BATCH 100

enum { INSERT, GET, LOCK, OF_CONTACT, MOVE, MARK, ERASE, OLD, REMOVE };
/* System-wide: OLD. Confirmations grow old in all workspaces. */
/* By checked ids: GET, LOCK, MARK, REMOVE. The id comes from an authentic link, or from OLD. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO confirmation (id, workspace_id, audience_id, contact_id, form_id,"
	       " person, given, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [GET] = "SELECT " COLUMNS " FROM confirmation WHERE id = ?",
    [LOCK] = "SELECT " COLUMNS " FROM confirmation WHERE id = ? FOR UPDATE",
    [OF_CONTACT] = "SELECT " COLUMNS " FROM confirmation WHERE contact_id = ? AND workspace_id = ?"
		   " ORDER BY created DESC LIMIT 1 FOR UPDATE",
    [MOVE] =
	"UPDATE confirmation SET person = ?, used = ? WHERE contact_id = ? AND workspace_id = ?",
    [MARK] = "UPDATE confirmation SET resent = ?, used = ? WHERE id = ?",
    [ERASE] = "DELETE FROM confirmation WHERE workspace_id = ? AND person = ?",
    [OLD] = "SELECT " COLUMNS " FROM confirmation WHERE created < ? ORDER BY created LIMIT ?"
	    " FOR UPDATE SKIP LOCKED",
    [REMOVE] = "DELETE FROM confirmation WHERE id = ?",
};

void
store_confirmation_free(struct store_confirmation *confirmation)
{
	g_free(confirmation->address);
	g_free(confirmation->given);
	g_free(confirmation);
}

bool
store_confirmation_insert(
    struct db *db, const struct store_confirmation *confirmation, GError **error)
{
	const struct store_confirmation *c = confirmation;

	return db_defer(db, sql[INSERT],
	    DB_VALUES(db_id(&c->id), db_id(&c->workspace_id), db_id(&c->audience_id),
		db_id(&c->contact_id), db_id(c->has_form ? &c->form_id : NULL), db_text(c->address),
		db_text(c->given), db_int(c->created)),
	    1, error);
}

DB_COLUMNS_MAKER(confirmation_read_row, struct store_confirmation, CONFIRMATION_COLUMNS)

struct store_confirmation *
store_confirmation_get(struct db *db, const struct base_id *id, bool lock, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[lock ? LOCK : GET], DB_VALUES(db_id(id)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return confirmation_read_row(rows);
	base_fail(error, PH_ERROR_NOT_FOUND, "Not found");
	return NULL;
}

bool
store_confirmation_of_contact(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, struct store_confirmation **confirmation_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[OF_CONTACT], DB_VALUES(db_id(contact), db_id(workspace)), error);

	*confirmation_r = rows && db_rows_next(rows) ? confirmation_read_row(rows) : NULL;
	return rows != NULL;
}

bool
store_confirmation_move(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const char *address, GError **error)
{
	return db_run(db, sql[MOVE],
	    DB_VALUES(db_text(address), db_int(base_clock_now()), db_id(contact), db_id(workspace)),
	    NULL, error);
}

bool
store_confirmation_mark(
    struct db *db, const struct store_confirmation *confirmation, GError **error)
{
	return db_defer(db, sql[MARK],
	    DB_VALUES(db_int_or_null(confirmation->resent), db_int_or_null(confirmation->used),
		db_id(&confirmation->id)),
	    1, error);
}

bool
store_confirmation_erase(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	return db_run(db, sql[ERASE], DB_VALUES(db_id(workspace), db_text(address)), NULL, error);
}

struct sweep {
	gint64 before;
	guint count;
};

/* The membership is removed if it waits since this confirmation, or an older one. */
static bool
confirmation_give_up(struct db *db, const struct store_confirmation *old, GError **error)
{
	const struct store_consent_act act = {
	    .source = CONSENT_BY_CONFIRMATION, .author = CONSENT_OF_SYSTEM};
	const struct store_consent_about about = {
	    .contact = &old->contact_id, .audience = &old->audience_id};
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(db, &old->workspace_id, old->address, true, error);

	for (guint i = 0; memberships && i < memberships->len; i++) {
		const struct store_membership *now = memberships->pdata[i];

		if (base_id_equal(&now->contact_id, &old->contact_id) && now->pending &&
		    now->pending <= old->created)
			return store_consent_record(db,
				   &(struct store_consent_change){&old->workspace_id, old->address,
				       CONSENT_REMOVED, &about, &act},
				   error) &&
			       store_membership_give_up(db, &old->workspace_id, now, error);
	}
	return memberships != NULL;
}

static bool
sweep(struct db *db, void *context, GError **error)
{
	struct sweep *work = context;
	AUTO(db_rows)
	rows = db_select(db, sql[OLD], DB_VALUES(db_int(work->before), db_int(BATCH)), error);

	work->count = 0;
	if (!rows)
		return false;
	for (; db_rows_next(rows); work->count++) {
		AUTO(store_confirmation) old = confirmation_read_row(rows);

		if (!confirmation_give_up(db, old, error) ||
		    !db_defer(db, sql[REMOVE], DB_VALUES(db_id(&old->id)), 1, error))
			return false;
	}
	return true;
}

bool
store_confirmation_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	struct sweep work = {.before = before};
	bool done = db_transact(db, sweep, &work, error);

	*count_r = work.count;
	return done;
}
