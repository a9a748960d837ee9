/* Who has claimed what of the outbox. */
#include <string.h>

#include "db/statement.h"
#include "db/transaction.h"
#include "store/outbox.h"

enum { DUE, POSTPONE, CLAIM, RENEW };
static const char *const sql[] = {
    [DUE] = "SELECT " COPY_COLUMNS ", owner,"
	    " ready_at FROM outbox WHERE ready_at >= ? AND ready_at <= ? ORDER BY ready_at LIMIT ? "
	    "FOR UPDATE SKIP LOCKED",
    [POSTPONE] = "UPDATE outbox SET ready_at = ?, owner = ? WHERE id = ?",
    [CLAIM] = "UPDATE outbox SET ready_at = ?, owner = ?, token = ? WHERE id = ?",
    [RENEW] = "UPDATE outbox SET ready_at = ? WHERE id = ? AND token = ?",
};

#define CLAIM_COLUMNS 4
enum { OWNER = COPY_COLUMN_COUNT, READY_AT }; /* of DUE */

/* The mark behind the name of an owner that has been doubted. */
#define DOUBTED "!"
#define LOOK_AGAIN_MS 60000

struct claiming {
	const struct claim *claim;
	const struct search *search;
	struct copy *copies;
	guint count;
};

/* Leaves a row with its owner for a while. */
static bool
postpone(struct db *db, const struct id *id, const char *owner, gint64 until, GError **error)
{
	return db_run(
	    db, sql[POSTPONE], DB_VALUES(db_int(until), db_text(owner), db_id(id)), NULL, error);
}

/* A row whose claim has run out; *take_r says whether it is ours now. */
static bool
take_over(struct db *db, const struct search *search, struct copy *copy, const char *owner,
    bool *take_r, GError **error)
{
	bool doubted = g_str_has_suffix(owner, DOUBTED);
	g_autofree char *name = g_strndup(owner, strlen(owner) - (doubted ? 1 : 0));
	g_autofree char *mark = g_strconcat(name, DOUBTED, NULL);
	enum takeover takeover = search->ask(name, search->context);

	*take_r = takeover == TAKEOVER_CLAIM || (takeover == TAKEOVER_DOUBT && doubted);
	copy->lost = takeover == TAKEOVER_DOUBT;
	if (*take_r)
		return true;
	return takeover == TAKEOVER_DOUBT
		   ? postpone(db, &copy->id, mark, search->now + search->lease, error)
		   : postpone(db, &copy->id, owner, search->now + LOOK_AGAIN_MS, error);
}

static bool
find_due(struct db *db, struct claiming *claiming, GError **error)
{
	const struct search *search = claiming->search;
	AUTO(db_rows)
	rows = db_select(db, sql[DUE],
	    DB_VALUES(db_int(search->low), db_int(search->now), db_int(search->limit)), error);

	if (!rows)
		return false;
	claiming->count = 0;
	while (db_rows_next(rows)) {
		struct copy *copy = &claiming->copies[claiming->count];
		bool take = true;

		store_copy_read(rows, copy);
		copy->ready_at = db_rows_int(rows, READY_AT);
		if (!db_rows_is_null(rows, OWNER) &&
		    !take_over(db, search, copy, db_rows_text(rows, OWNER), &take, error))
			return false;
		claiming->count += take;
	}
	return true;
}

static bool
claim_due(struct db *db, void *context, GError **error)
{
	struct claiming *claiming = context;

	if (!find_due(db, claiming, error))
		return false;
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)CLAIM_COLUMNS * claiming->count);
	for (guint i = 0; i < claiming->count; i++) {
		const struct db_value row[CLAIM_COLUMNS] = {db_int(claiming->claim->until),
		    db_text(claiming->claim->owner), db_int(claiming->claim->token),
		    db_id(&claiming->copies[i].id)};

		memcpy(values + (gsize)CLAIM_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[CLAIM], values, CLAIM_COLUMNS, claiming->count, NULL, error);
}

bool
store_outbox_claim(struct db *db, const struct claim *claim, const struct search *search,
    struct copy *copies_r, guint *count_r, GError **error)
{
	struct claiming claiming = {claim, search, copies_r, 0};

	if (!db_transact(db, claim_due, &claiming, error))
		return false;
	*count_r = claiming.count;
	return true;
}

bool
store_outbox_renew(
    struct db *db, const struct claim *claim, const struct id *copies, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, 3 * (gsize)count);

	for (guint i = 0; i < count; i++) {
		values[3 * i] = db_int(claim->until);
		values[3 * i + 1] = db_id(&copies[i]);
		values[3 * i + 2] = db_int(claim->token);
	}
	return db_run_rows(db, sql[RENEW], values, 3, count, NULL, error);
}
