/* SPDX-License-Identifier: MIT */
/* Audiences and their counters. */
#include "store/person/audience.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"
#include "store/consent/agreement.h"
#include "store/workspace/limit.h"

#define BRIEF_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "a.id")                                                                          \
	NEXT(name, "a.name")                                                                       \
	NEXT(created, "a.created")                                                                 \
	NEXT(updated, "a.updated")
#define COUNT_OF(column)                                                                           \
	"(SELECT SUM(k." column ") FROM audience_counter k WHERE k.audience_id = a.id)"
#define AUDIENCE_COLUMNS(FIRST, NEXT)                                                              \
	BRIEF_COLUMNS(FIRST, NEXT)                                                                 \
	NEXT(contacts, COUNT_OF("contacts"))                                                       \
	NEXT(unsubscribers, COUNT_OF("unsubscribers"))                                             \
	CREATOR_COLUMNS(NEXT, NEXT, creator.)
#define WHOLE                                                                                      \
	"SELECT " DB_COLUMNS_SQL(AUDIENCE_COLUMNS) " FROM audience a"                              \
						   " LEFT JOIN user u ON u.id = a.user_id WHERE "
#define BRIEF "SELECT " DB_COLUMNS_SQL(BRIEF_COLUMNS) " FROM audience a WHERE a.workspace_id = ?"

enum {
	CREATE,
	CREATE_COUNTER,
	GET,
	RENAME,
	FIND,
	CHECK,
	REMOVE_FORMS,
	REMOVE,
	REMEMBER,
	COUNT,
	REMOVED,
	SUBSCRIBED,
	REMOVE_CONTACTS,
	REMOVE_COUNTER,
	FORGET
};
/* System-wide: REMOVED. The spool empties the removed audiences of all workspaces. */
/* By checked ids: SUBSCRIBED, REMOVE_CONTACTS, REMOVE_COUNTER, FORGET. The caller has removed the
   audience from its workspace, or has found its row by REMOVED. */
static const char *const sql[] = {
    [CREATE] = "INSERT INTO audience (id, workspace_id, user_id, name, created, updated)"
	       " VALUES (?, ?, ?, ?, ?, ?)",
    [CREATE_COUNTER] = "INSERT INTO audience_counter"
		       " (audience_id, stripe, workspace_id, contacts, unsubscribers)"
		       " VALUES (?, ?, ?, 0, 0)",
    [GET] = WHOLE "a.id = ? AND a.workspace_id = ?",
    [RENAME] = "UPDATE audience SET name = ?, updated = ? WHERE id = ? AND workspace_id = ?",
    [FIND] = "SELECT id FROM audience WHERE workspace_id = ? AND name = ? LIMIT 2",
    [CHECK] = "SELECT 1 FROM audience WHERE id = ? AND workspace_id = ?",
    [REMOVE_FORMS] = "DELETE FROM form WHERE audience_id = ? AND workspace_id = ?",
    [REMOVE] = "DELETE FROM audience WHERE id = ? AND workspace_id = ?",
    [REMEMBER] = "INSERT INTO audience_removal (audience_id, workspace_id) VALUES (?, ?)",
    [COUNT] = "UPDATE audience_counter SET contacts = contacts + ?,"
	      " unsubscribers = unsubscribers + ?"
	      " WHERE audience_id = ? AND stripe = ? AND workspace_id = ?",
    [REMOVED] =
	"SELECT audience_id, workspace_id FROM audience_removal ORDER BY audience_id LIMIT 1"
	" FOR UPDATE SKIP LOCKED",
    [SUBSCRIBED] =
	"SELECT c.address FROM (SELECT address, is_subscribed FROM contact FORCE INDEX (PRIMARY)"
	" WHERE audience_id = ? ORDER BY address LIMIT ?) c WHERE c.is_subscribed = 1",
    [REMOVE_CONTACTS] = "DELETE FROM contact WHERE audience_id = ? ORDER BY address LIMIT ?",
    [REMOVE_COUNTER] = "DELETE FROM audience_counter WHERE audience_id = ?",
    [FORGET] = "DELETE FROM audience_removal WHERE audience_id = ?",
};

#define STRIPES 16
#define BATCH 1000

void
store_audience_free(struct store_audience *audience)
{
	g_free(audience->name);
	store_creator_clear(&audience->creator);
	g_free(audience);
}

bool
store_audience_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Audience not found");
	return false;
}

bool
store_audience_check(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[CHECK], DB_VALUES(db_id(id), db_id(workspace)), error);

	return rows && (db_rows_next(rows) || store_audience_missing(error));
}

struct creation {
	const struct base_id *id, *workspace, *user;
	const char *name;
};

static bool
person_audience_create(struct db *db, void *context, GError **error)
{
	const struct creation *creation = context;
	gint64 now = base_clock_now();
	struct db_value counters[3 * STRIPES];

	for (guint i = 0; i < STRIPES; i++) {
		counters[3 * i] = db_id(creation->id);
		counters[3 * i + 1] = db_int(i);
		counters[3 * i + 2] = db_id(creation->workspace);
	}
	return store_limit_hold(db, creation->workspace, SETTING_LIMITS_AUDIENCES, error) &&
	       db_run(db, sql[CREATE],
		   DB_VALUES(db_id(creation->id), db_id(creation->workspace), db_id(creation->user),
		       db_text(creation->name), db_int(now), db_int(now)),
		   NULL, error) &&
	       db_run_rows(db, sql[CREATE_COUNTER], counters, 3, STRIPES, NULL, error);
}

bool
store_audience_create(struct db *db, const struct base_id *workspace, const struct base_id *user,
    const char *name, struct base_id *id_r, GError **error)
{
	struct creation creation = {id_r, workspace, user, name};

	*id_r = base_id_new();
	return db_transact(db, person_audience_create, &creation, error);
}

STORE_LISTING_READER(audience_read_brief, struct store_audience, BRIEF_COLUMNS)
STORE_LISTING_READER(audience_read_row, struct store_audience, AUDIENCE_COLUMNS)

struct store_audience *
store_audience_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return store_listing_one(
	    db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error), workspace,
	    audience_read_row, store_audience_missing, error);
}

STORE_LISTING(
    listing, audience_read_row, store_audience_destroy, WHOLE "a.workspace_id = ?", "a.id");

GPtrArray *
store_audience_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

STORE_LISTING(paged, audience_read_brief, store_audience_destroy, BRIEF, "a.id");

GPtrArray *
store_audience_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &paged, workspace, page, error);
}

bool
store_audience_rename(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const char *name, GError **error)
{
	guint64 affected;

	return db_run(db, sql[RENAME],
		   DB_VALUES(db_text(name), db_int(base_clock_now()), db_id(id), db_id(workspace)),
		   &affected, error) &&
	       (affected > 0 || store_audience_missing(error));
}

bool
store_audience_find(struct db *db, const struct base_id *workspace, const char *name,
    struct base_id *id_r, GError **error)
{
	return store_listing_find(db, sql[FIND], workspace, name, "audience", id_r, error);
}

struct removal {
	const struct base_id *workspace, *id;
};

static bool
person_audience_remove_one(struct db *db, void *context, GError **error)
{
	const struct removal *removal = context;
	guint64 affected;

	if (!db_run(db, sql[REMOVE_FORMS], DB_VALUES(db_id(removal->id), db_id(removal->workspace)),
		NULL, error) ||
	    !db_run(db, sql[REMOVE], DB_VALUES(db_id(removal->id), db_id(removal->workspace)),
		&affected, error))
		return false;
	if (affected == 0)
		return store_audience_missing(error);
	/* Removing the counters stops new contacts (store/person/contact_make.c). */
	return db_run(db, sql[REMEMBER], DB_VALUES(db_id(removal->id), db_id(removal->workspace)),
		   NULL, error) &&
	       db_run(db, sql[REMOVE_COUNTER], DB_VALUES(db_id(removal->id)), NULL, error);
}

bool
store_audience_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	struct removal removal = {workspace, id};

	return db_transact(db, person_audience_remove_one, &removal, error);
}

/* The columns of REMOVED. */
enum { REMOVED_AUDIENCE, REMOVED_WORKSPACE };

/* Notes the subscribed contacts of the next batch. */
static bool
audience_part(
    struct db *db, const struct base_id *workspace, const struct base_id *audience, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[SUBSCRIBED], DB_VALUES(db_id(audience), db_int(BATCH)), error);
	const char *addresses[BATCH];
	guint count = 0;

	if (!rows)
		return false;
	while (db_rows_next(rows))
		addresses[count++] = db_rows_text(rows, DB_ROWS_ONLY);
	return store_agreement_part(db, workspace, addresses, count, error);
}

static bool
audience_sweep(struct db *db, void *context, GError **error)
{
	bool *more = context;
	AUTO(db_rows) rows = db_select(db, sql[REMOVED], NULL, 0, error);
	struct base_id id, workspace;
	guint64 affected;

	if (!rows)
		return false;
	*more = db_rows_next(rows) && db_rows_id(rows, REMOVED_AUDIENCE, &id) &&
		db_rows_id(rows, REMOVED_WORKSPACE, &workspace);
	if (!*more)
		return true;
	if (!audience_part(db, &workspace, &id, error) ||
	    !db_run(
		db, sql[REMOVE_CONTACTS], DB_VALUES(db_id(&id), db_int(BATCH)), &affected, error))
		return false;
	return affected == BATCH ||
	       (db_run(db, sql[REMOVE_COUNTER], DB_VALUES(db_id(&id)), NULL, error) &&
		   db_run(db, sql[FORGET], DB_VALUES(db_id(&id)), NULL, error));
}

bool
store_audience_sweep(struct db *db, bool *more_r, GError **error)
{
	return db_transact(db, audience_sweep, more_r, error);
}

gint64
store_audience_stripe(const struct db *db)
{
	return (gint64)(db_connection_id(db) % STRIPES);
}

bool
store_audience_count(struct db *db, const struct base_id *workspace, const struct base_id *audience,
    gint64 contacts, gint64 unsubscribers, GError **error)
{
	return (contacts == 0 && unsubscribers == 0) ||
	       db_run(db, sql[COUNT],
		   DB_VALUES(db_int(contacts), db_int(unsubscribers), db_id(audience),
		       db_int(store_audience_stripe(db)), db_id(workspace)),
		   NULL, error);
}
