/* The outbox: what has to leave, who has claimed it, and what is left of it. */
#include "store/outbox.h"

#include <string.h>

#include "db/statement.h"
#include "db/transaction.h"

enum {
	INSERT,
	DUE,
	FIND,
	POSTPONE,
	RENEW,
	HOLD,
	RELEASE,
	HASTEN,
	COUNT,
	HELD,
	CLAIM,
	REMOVE,
	KEEP,
	WITHDRAW,
	NEXT
};
static const char *const sql[] = {
    [INSERT] = "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, "
	       "ready_at, owner, token)"
	       " VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?)",
    [DUE] = "SELECT id, workspace_id, email_id, recipients, attempts, since, delayed_at, owner,"
	    " ready_at FROM outbox WHERE ready_at >= ? AND ready_at <= ? ORDER BY ready_at LIMIT ? "
	    "FOR UPDATE SKIP LOCKED",
    [FIND] = "SELECT id, workspace_id, email_id, recipients, attempts, since, delayed_at FROM "
	     "outbox"
	     " WHERE id = ? AND token = ?",
    [HOLD] = "UPDATE outbox SET ready_at = NULL WHERE email_id = ? AND workspace_id = ? AND owner "
	     "IS NULL",
    [RELEASE] = "UPDATE outbox SET ready_at = ? WHERE email_id = ? AND workspace_id = ? AND "
		"ready_at IS NULL",
    [HASTEN] =
	"UPDATE outbox SET ready_at = ? WHERE email_id = ? AND workspace_id = ? AND owner IS NULL"
	" AND ready_at > ? AND attempts > 0",
    [COUNT] = "SELECT COALESCE(SUM(owner IS NULL AND ready_at <= ?), 0), COALESCE(SUM(owner IS "
	      "NULL AND ready_at > ?), 0),"
	      " COALESCE(SUM(owner IS NOT NULL), 0), COALESCE(SUM(ready_at IS NULL), 0),"
	      " MIN(CASE WHEN since <= ? THEN since END) FROM outbox",
    [HELD] =
	"SELECT id, workspace_id, email_id, recipients, attempts, since, delayed_at FROM outbox"
	" WHERE ready_at IS NULL AND workspace_id = ? ORDER BY id",
    [POSTPONE] = "UPDATE outbox SET ready_at = ?, owner = ? WHERE id = ?",
    [RENEW] = "UPDATE outbox SET ready_at = ? WHERE id = ? AND token = ?",
    [CLAIM] = "UPDATE outbox SET ready_at = ?, owner = ?, token = ? WHERE id = ?",
    [REMOVE] = "DELETE FROM outbox WHERE id = ? AND token = ?",
    [KEEP] =
	"UPDATE outbox SET recipients = ?, attempts = ?, delayed_at = ?, ready_at = ?, owner = "
	"NULL, token = NULL"
	" WHERE id = ? AND token = ?",
    [WITHDRAW] = "DELETE FROM outbox WHERE email_id = ? AND workspace_id = ? AND owner IS NULL AND "
		 "attempts = 0",
    [NEXT] = "SELECT MIN(ready_at) FROM outbox",
};

#define INSERT_COLUMNS 8
#define CLAIM_COLUMNS 4
#define REMOVE_COLUMNS 2
#define KEEP_COLUMNS 6

/* Two bytes, big-endian, for each number. */
struct packed {
	guint8 bytes[2 * COPY_RECIPIENTS];
};

static struct db_value
pack(const struct copy *copy, struct packed *packed_r)
{
	for (guint i = 0; i < copy->count; i++) {
		packed_r->bytes[2 * i] = (guint8)(copy->recipients[i] >> 8);
		packed_r->bytes[2 * i + 1] = (guint8)copy->recipients[i];
	}
	return db_bytes(packed_r->bytes, 2 * copy->count);
}

static void
unpack(const guint8 *bytes, gsize size, struct copy *copy)
{
	copy->count = MIN((guint)size / 2, COPY_RECIPIENTS);
	for (guint i = 0; i < copy->count; i++)
		copy->recipients[i] = (guint16)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
}

static struct db_value
time_or_null(gint64 time)
{
	return time ? db_int(time) : db_null();
}

bool
store_outbox_insert(struct db *db, const struct copy *copies, guint count, gint64 ready_at,
    const struct claim *claim, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);
	g_autofree struct packed *packed = g_new(struct packed, count);

	for (guint i = 0; i < count; i++) {
		const struct copy *copy = &copies[i];
		const struct db_value row[INSERT_COLUMNS] = {db_id(&copy->id),
		    db_id(&copy->workspace_id), db_id(&copy->email_id), pack(copy, &packed[i]),
		    db_int(copy->since), db_int(claim ? claim->until : ready_at),
		    db_text(claim ? claim->owner : NULL), claim ? db_int(claim->token) : db_null()};

		memcpy(values + (gsize)INSERT_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[INSERT], values, INSERT_COLUMNS, count, NULL, error);
}

/* The mark behind the name of an owner that has been doubted. */
#define DOUBTED "!"
#define LOOK_AGAIN_MS 60000

static void
read_copy(struct db_rows *rows, struct copy *copy)
{
	gsize size;

	db_rows_id(rows, 0, &copy->id);
	db_rows_id(rows, 1, &copy->workspace_id);
	db_rows_id(rows, 2, &copy->email_id);
	const void *numbers = db_rows_bytes(rows, 3, &size);
	unpack(numbers, size, copy);
	copy->attempts = (guint)db_rows_int(rows, 4);
	copy->since = db_rows_int(rows, 5);
	copy->delayed = db_rows_int(rows, 6);
	copy->lost = false;
}

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

		read_copy(rows, copy);
		copy->ready_at = db_rows_int(rows, 8);
		if (!db_rows_is_null(rows, 7) &&
		    !take_over(db, search, copy, db_rows_text(rows, 7), &take, error))
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

bool
store_outbox_find(struct db *db, const struct id *id, gint64 token, struct copy *copy_r,
    bool *found_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[FIND], DB_VALUES(db_id(id), db_int(token)), error);

	if (!rows)
		return false;
	*found_r = db_rows_next(rows);
	if (*found_r)
		read_copy(rows, copy_r);
	return true;
}

static bool
end_some(struct db *db, const struct claim *claim, const struct copy_end *ends, guint count,
    bool removed, guint *kept, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)KEEP_COLUMNS * count);
	g_autofree struct packed *packed = g_new(struct packed, count);
	guint columns = removed ? REMOVE_COLUMNS : KEEP_COLUMNS;
	guint rows = 0;
	guint64 affected = 0;

	for (guint i = 0; i < count; i++) {
		const struct copy *copy = ends[i].copy;
		struct db_value *row = values + (gsize)columns * rows;

		if ((copy->count == 0) != removed)
			continue;
		if (!removed) {
			row[0] = pack(copy, &packed[i]);
			row[1] = db_int(copy->attempts);
			row[2] = time_or_null(copy->delayed);
			row[3] = time_or_null(ends[i].ready_at);
		}
		row[columns - 2] = db_id(&copy->id);
		row[columns - 1] = db_int(claim->token);
		rows++;
	}
	if (!db_run_rows(db, sql[removed ? REMOVE : KEEP], values, columns, rows, &affected, error))
		return false;
	*kept += (guint)affected;
	return true;
}

bool
store_outbox_end(struct db *db, const struct claim *claim, const struct copy_end *ends, guint count,
    guint *kept_r, GError **error)
{
	*kept_r = 0;
	return end_some(db, claim, ends, count, true, kept_r, error) &&
	       end_some(db, claim, ends, count, false, kept_r, error);
}

bool
store_outbox_withdraw(struct db *db, const struct id *workspace, const struct id *email,
    guint *count_r, GError **error)
{
	guint64 affected;

	if (!db_run(db, sql[WITHDRAW], DB_VALUES(db_id(email), db_id(workspace)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

bool
store_outbox_next(struct db *db, gint64 *ready_at_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[NEXT], NULL, 0, error);

	if (!rows)
		return false;
	*ready_at_r = db_rows_next(rows) ? db_rows_int(rows, 0) : 0;
	return true;
}

static bool
change(struct db *db, int statement, const struct db_value *values, gsize count, guint *count_r,
    GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[statement], values, count, &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

bool
store_outbox_hold(struct db *db, const struct id *workspace, const struct id *email, guint *count_r,
    GError **error)
{
	return change(db, HOLD, DB_VALUES(db_id(email), db_id(workspace)), count_r, error);
}

bool
store_outbox_release(struct db *db, const struct id *workspace, const struct id *email, gint64 now,
    guint *count_r, GError **error)
{
	return change(
	    db, RELEASE, DB_VALUES(db_int(now), db_id(email), db_id(workspace)), count_r, error);
}

bool
store_outbox_hasten(struct db *db, const struct id *workspace, const struct id *email, gint64 now,
    guint *count_r, GError **error)
{
	return change(db, HASTEN,
	    DB_VALUES(db_int(now), db_id(email), db_id(workspace), db_int(now)), count_r, error);
}

bool
store_outbox_count(struct db *db, gint64 now, struct outbox_counts *counts_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[COUNT], DB_VALUES(db_int(now), db_int(now), db_int(now)), error);

	if (!rows || !db_rows_next(rows))
		return false;
	*counts_r = (struct outbox_counts){db_rows_int(rows, 0), db_rows_int(rows, 1),
	    db_rows_int(rows, 2), db_rows_int(rows, 3), db_rows_int(rows, 4)};
	return true;
}

bool
store_outbox_list_held(struct db *db, const struct id *workspace,
    void (*row)(const struct copy *copy, void *context), void *context, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[HELD], DB_VALUES(db_id(workspace)), error);
	struct copy copy;

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		read_copy(rows, &copy);
		row(&copy, context);
	}
	return true;
}
