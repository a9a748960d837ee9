/* The outbox: what has to leave, who has claimed it, and what is left of it. */
#include "store/outbox.h"

#include <string.h>

#include "db/statement.h"
#include "db/transaction.h"

enum { INSERT, DUE, CLAIM, REMOVE, KEEP, WITHDRAW, NEXT };
static const char *const sql[] = {
    [INSERT] = "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, "
	       "ready_at, owner, token)"
	       " VALUES (?, ?, ?, ?, 0, ?, ?, ?, ?)",
    [DUE] =
	"SELECT id, workspace_id, email_id, recipients, attempts, since, delayed_at, owner FROM "
	"outbox"
	" WHERE ready_at >= ? AND ready_at <= ? ORDER BY ready_at LIMIT ? FOR UPDATE SKIP LOCKED",
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

struct search {
	const struct claim *claim;
	gint64 low, now;
	guint limit;
	struct copy *copies;
	guint count;
};

static bool
find_due(struct db *db, struct search *search, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[DUE],
	    DB_VALUES(db_int(search->low), db_int(search->now), db_int(search->limit)), error);

	if (!rows)
		return false;
	for (search->count = 0; db_rows_next(rows); search->count++) {
		struct copy *copy = &search->copies[search->count];
		gsize size;

		db_rows_id(rows, 0, &copy->id);
		db_rows_id(rows, 1, &copy->workspace_id);
		db_rows_id(rows, 2, &copy->email_id);
		const void *numbers = db_rows_bytes(rows, 3, &size);
		unpack(numbers, size, copy);
		copy->attempts = (guint)db_rows_int(rows, 4);
		copy->since = db_rows_int(rows, 5);
		copy->delayed = db_rows_int(rows, 6);
		copy->lost = !db_rows_is_null(rows, 7);
	}
	return true;
}

static bool
claim_due(struct db *db, void *context, GError **error)
{
	struct search *search = context;

	if (!find_due(db, search, error))
		return false;
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)CLAIM_COLUMNS * search->count);
	for (guint i = 0; i < search->count; i++) {
		const struct db_value row[CLAIM_COLUMNS] = {db_int(search->claim->until),
		    db_text(search->claim->owner), db_int(search->claim->token),
		    db_id(&search->copies[i].id)};

		memcpy(values + (gsize)CLAIM_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[CLAIM], values, CLAIM_COLUMNS, search->count, NULL, error);
}

bool
store_outbox_claim(struct db *db, const struct claim *claim, gint64 low, gint64 now, guint limit,
    struct copy *copies_r, guint *count_r, GError **error)
{
	struct search search = {claim, low, now, limit, copies_r, 0};

	if (!db_transact(db, claim_due, &search, error))
		return false;
	*count_r = search.count;
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
