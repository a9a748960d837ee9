/* SPDX-License-Identifier: MIT */
/* Stores the copies that relays of providers have taken, and finds them by the names that providers
   give them. */
#include "store/outbox/relay_copy.h"

#include <string.h>

#include "db/columns.h"
#include "db/statement.h"
#include "store/outbox/key.h"

#define TEN "?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define FIFTY TEN ", " TEN ", " TEN ", " TEN ", " TEN
#define NAMES FIFTY ", " FIFTY /* STORE_RELAY_COPY_TOGETHER */

/* The recipients of the email; recipients tells which of them are the copy's. */
#define COPY_COLUMNS(FIRST, NEXT)                                                                  \
	FIRST(copy_id, "c.id")                                                                     \
	NEXT(email_id, "c.email_id")                                                               \
	NEXT(reply, "c.reply")                                                                     \
	NEXT(sent, "c.sent")                                                                       \
	NEXT(number, "r.number")                                                                   \
	NEXT(address, "r.address")
DB_COLUMNS_MAKER(relay_copy_read, struct store_relay_copy_recipient, COPY_COLUMNS)
#define COPIES(key, condition)                                                                     \
	"SELECT " DB_COLUMNS_SQL(COPY_COLUMNS) ", c.recipients"                                    \
					       " FROM relay_copy c FORCE INDEX (" key              \
					       ") STRAIGHT_JOIN recipient r FORCE INDEX (PRIMARY)" \
					       " ON r.email_id = c.email_id AND r.address <> ''"   \
					       " WHERE c." condition " IN (" NAMES                 \
					       ") AND c.relay = ?"

/* The entries of a lane that are due, claimed ones among them, up to so many. */
#define WALK 10000
#define DUE_IN(lane)                                                                               \
	"(SELECT id, owner, ready_at, is_bulk FROM outbox FORCE INDEX (due) WHERE is_bulk = " lane \
	" AND due_at <= ? ORDER BY due_at LIMIT " G_STRINGIFY(WALK) ")"

enum { ADD, BY_REPLY, BY_COPY, BY_EMAIL, EMAIL_COMING, COPY_COMING };
/* System-wide: BY_REPLY, BY_COPY, BY_EMAIL, EMAIL_COMING, COPY_COMING. An endpoint speaks about the
   copies of its relay in all workspaces. */
static const char *const sql[] = {
    [ADD] = "INSERT INTO relay_copy (email_id, id, sent, workspace_id, relay, reply, recipients)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?)",
    [BY_REPLY] = COPIES("reply", "reply"),
    [BY_COPY] = COPIES("id", "id"),
    [BY_EMAIL] = COPIES("PRIMARY", "email_id"),
    [EMAIL_COMING] = "SELECT 1 FROM outbox " STORE_OUTBOX_OF_EMAIL " WHERE email_id IN (" NAMES
		     ") AND owner IS NOT NULL AND ready_at > ? LIMIT 1",
    /* Claimed entries stand at the front of the key due, as a rule. */
    [COPY_COMING] =
	"SELECT COALESCE(MAX(o.id IN (" NAMES ") AND o.owner IS NOT NULL AND o.ready_at > ?), 0),"
	" GREATEST(COALESCE(SUM(o.is_bulk = 0), 0), COALESCE(SUM(o.is_bulk = 1), 0))"
	" FROM (" DUE_IN("0") " UNION ALL " DUE_IN("1") ") o",
};

/* The columns of COPY_COMING. */
enum { COMING_FOUND, COMING_LANE };

#define ADD_COLUMNS 7

enum { COPY_RECIPIENTS = DB_COLUMNS_END(COPY_COLUMNS) };

#define NUMBER_BYTES 2

bool
store_relay_copy_add(
    struct db *db, const struct store_relay_copy *copies, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)ADD_COLUMNS * count);
	g_autoptr(GPtrArray) owned = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < count; i++) {
		const struct store_relay_copy *copy = &copies[i];
		guint16 *numbers = g_new(guint16, copy->count);
		const struct db_value row[ADD_COLUMNS] = {db_id(&copy->email_id), db_id(&copy->id),
		    db_int(copy->sent), db_id(&copy->workspace_id), db_text(copy->relay),
		    db_text(copy->reply), db_bytes(numbers, (gsize)NUMBER_BYTES * copy->count)};

		for (guint n = 0; n < copy->count; n++)
			numbers[n] = GUINT16_TO_BE(copy->recipients[n]);
		g_ptr_array_add(owned, numbers);
		memcpy(values + (gsize)ADD_COLUMNS * i, row, sizeof(row));
	}
	return db_defer(db, sql[ADD], values, ADD_COLUMNS, count, error);
}

static void
relay_copy_free_recipient(void *data)
{
	struct store_relay_copy_recipient *recipient = data;

	g_free(recipient->reply);
	g_free(recipient->address);
	g_free(recipient);
}

/* Whether the row's recipient is one of the copy's. */
static bool
is_of_copy(const struct db_rows *rows, const struct store_relay_copy_recipient *recipient)
{
	gsize size;
	const guint8 *numbers = db_rows_bytes(rows, COPY_RECIPIENTS, &size);

	for (gsize at = 0; at + NUMBER_BYTES <= size; at += NUMBER_BYTES)
		if ((guint)(numbers[at] << 8 | numbers[at + 1]) == recipient->number)
			return true;
	return false;
}

static void
relay_copy_add_rows(GPtrArray *found, struct db_rows *rows)
{
	while (db_rows_next(rows)) {
		struct store_relay_copy_recipient *recipient = relay_copy_read(rows);

		if (is_of_copy(rows, recipient))
			g_ptr_array_add(found, recipient);
		else
			relay_copy_free_recipient(recipient);
	}
}

/* Up to three statements that are sent together. */
struct queries {
	struct db_query queries[3];
	struct db_value values[3][STORE_RELAY_COPY_TOGETHER + 1];
	guint count;
};

/* Adds a statement for the names from begin on, if there are any; the last one fills the other
   places. */
static void
add_query(
    struct queries *queries, int statement, const char *relay, const GPtrArray *names, guint begin)
{
	struct db_value *values = queries->values[queries->count];

	if (begin >= names->len)
		return;
	for (guint i = 0; i < STORE_RELAY_COPY_TOGETHER; i++) {
		const void *name = names->pdata[MIN(begin + i, names->len - 1)];
		values[i] = statement == BY_REPLY ? db_text(name) : db_id(name);
	}
	values[STORE_RELAY_COPY_TOGETHER] = db_text(relay);
	queries->queries[queries->count++] =
	    (struct db_query){sql[statement], values, STORE_RELAY_COPY_TOGETHER + 1};
}

GPtrArray *
store_relay_copy_find(
    struct db *db, const char *relay, const struct store_relay_copy_names *names, GError **error)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(relay_copy_free_recipient);
	g_autofree struct queries *queries = g_new(struct queries, 1);
	guint most = MAX(names->replies->len, MAX(names->copies->len, names->emails->len));

	for (guint begin = 0; begin < most; begin += STORE_RELAY_COPY_TOGETHER) {
		struct db_rows *rows[G_N_ELEMENTS(queries->queries)];

		queries->count = 0;
		add_query(queries, BY_REPLY, relay, names->replies, begin);
		add_query(queries, BY_COPY, relay, names->copies, begin);
		add_query(queries, BY_EMAIL, relay, names->emails, begin);
		if (!db_select_together(db, queries->queries, queries->count, rows, error))
			return NULL;
		for (guint i = 0; i < queries->count; i++)
			relay_copy_add_rows(found, rows[i]);
		db_rows_free_all(rows, queries->count);
	}
	return g_steal_pointer(&found);
}

/* Runs a statement for these names and the time, which it has so often. The last name fills the
   other places. */
static struct db_rows *
relay_copy_look(
    struct db *db, int statement, const GPtrArray *names, gint64 now, guint times, GError **error)
{
	struct db_value values[STORE_RELAY_COPY_TOGETHER + 3];
	guint count = STORE_RELAY_COPY_TOGETHER;

	for (guint i = 0; i < count; i++)
		values[i] = db_id(names->pdata[MIN(i, names->len - 1)]);
	while (times-- > 0)
		values[count++] = db_int(now);
	return db_select(db, sql[statement], values, count, error);
}

/* Whether an entry of an email is under way. */
static bool
relay_copy_find_emails(
    struct db *db, const GPtrArray *emails, gint64 now, bool *coming_r, GError **error)
{
	*coming_r = false;
	if (emails->len == 0)
		return true;
	AUTO(db_rows) rows = relay_copy_look(db, EMAIL_COMING, emails, now, 1, error);
	*coming_r = rows && db_rows_next(rows);
	return rows != NULL;
}

/* Whether an entry is under way, or may be, where more of a lane are due than are looked at. */
static bool
relay_copy_find_entries(
    struct db *db, const GPtrArray *copies, gint64 now, bool *coming_r, GError **error)
{
	*coming_r = false;
	if (copies->len == 0)
		return true;
	AUTO(db_rows) rows = relay_copy_look(db, COPY_COMING, copies, now, 3, error);
	*coming_r = rows && db_rows_next(rows) &&
		    (db_rows_int(rows, COMING_FOUND) || db_rows_int(rows, COMING_LANE) >= WALK);
	return rows != NULL;
}

bool
store_relay_copy_is_coming(struct db *db, const GPtrArray *emails, const GPtrArray *copies,
    gint64 now, bool *coming_r, GError **error)
{
	return relay_copy_find_emails(db, emails, now, coming_r, error) &&
	       (*coming_r || relay_copy_find_entries(db, copies, now, coming_r, error));
}
