/* SPDX-License-Identifier: MIT */
/* Reads and locks the reader of an email, whom the token of a link names, and counts opens and
   clicks. */
#include "store/reader.h"

#include "base/error.h"
#include "db/statement.h"

#define READER                                                                                     \
	"SELECT r.workspace_id, r.address, r.status_at, e.sender, e.type FROM recipient r"         \
	" STRAIGHT_JOIN email e ON e.id = r.email_id WHERE r.email_id = ? AND r.number = ?"        \
	" AND r.address <> ''"
/* The columns of READER. */
enum { READER_WORKSPACE, READER_ADDRESS, READER_STATUS_AT, READER_SENDER, READER_TYPE };

/* Ids begin with their time: the events recorded since a time are a range of the primary key,
   however many there are. */
enum { GET, LOCK, VISIT, RECENT, HAS, MARK };
/* By checked ids: GET, LOCK. The token of a link, which we have signed, names the email. */
/* By checked ids: VISIT. LOCK has found the reader. */
static const char *const sql[] = {
    [GET] = READER,
    [LOCK] = "SELECT visits FROM recipient WHERE email_id = ? AND number = ? FOR UPDATE",
    [VISIT] = "UPDATE recipient SET visits = visits + 1 WHERE email_id = ? AND number = ?",
    [RECENT] = "SELECT status, timestamp, link FROM event"
	       " WHERE email_id = ? AND id >= ? AND recipient = ? AND workspace_id = ?"
	       " ORDER BY id LIMIT 1000",
    [HAS] = "SELECT 1 FROM event WHERE email_id = ? AND recipient = ? AND workspace_id = ?"
	    " AND status = ? LIMIT 1",
    [MARK] = "UPDATE event SET automated = 1 WHERE email_id = ? AND id >= ? AND recipient = ?"
	     " AND workspace_id = ? AND status IN (?, ?) AND timestamp >= ?",
};

/* The columns of RECENT. */
enum { RECENT_STATUS, RECENT_TIMESTAMP, RECENT_LINK };

static struct store_reader *
read_row(struct db_rows *rows, const struct base_id *email, guint number, GError **error)
{
	if (!db_rows_next(rows)) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Email not found");
		return NULL;
	}
	struct store_reader *reader = g_new0(struct store_reader, 1);
	reader->email_id = *email;
	reader->number = number;
	db_rows_id(rows, READER_WORKSPACE, &reader->workspace_id);
	reader->address = g_strdup(db_rows_text(rows, READER_ADDRESS));
	reader->latest = db_rows_int(rows, READER_STATUS_AT);
	reader->sender = g_strdup(db_rows_text(rows, READER_SENDER));
	reader->type = (enum store_email_type)db_rows_int(rows, READER_TYPE);
	return reader;
}

struct store_reader *
store_reader_get(struct db *db, const struct base_id *email, guint number, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GET], DB_VALUES(db_id(email), db_int(number)), error);

	return rows ? read_row(rows, email, number, error) : NULL;
}

struct store_reader *
store_reader_lock(struct db *db, const struct base_id *email, guint number, GError **error)
{
	const struct db_query queries[] = {
	    {sql[LOCK], DB_VALUES(db_id(email), db_int(number))},
	    {sql[GET], DB_VALUES(db_id(email), db_int(number))},
	};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return NULL;
	struct store_reader *reader = read_row(rows[1], email, number, error);
	if (reader && db_rows_next(rows[0]))
		reader->engagements = db_rows_int(rows[0], DB_ROWS_ONLY);
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return reader;
}

bool
store_reader_count(struct db *db, const struct store_reader *reader, GError **error)
{
	return db_defer(
	    db, sql[VISIT], DB_VALUES(db_id(&reader->email_id), db_int(reader->number)), 1, error);
}

void
store_reader_free(struct store_reader *reader)
{
	g_free(reader->address);
	g_free(reader->sender);
	g_free(reader);
}

bool
store_reader_recent(struct db *db, const struct store_reader *reader, gint64 since,
    void (*row)(const struct store_event *event, void *context), void *context, GError **error)
{
	struct base_id floor = base_id_floor(since);
	AUTO(db_rows)
	rows = db_select(db, sql[RECENT],
	    DB_VALUES(db_id(&reader->email_id), db_id(&floor), db_int(reader->number),
		db_id(&reader->workspace_id)),
	    error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		const struct store_event event = {
		    .workspace_id = reader->workspace_id,
		    .email_id = reader->email_id,
		    .recipient = reader->number,
		    .status = (enum store_event_status)db_rows_int(rows, RECENT_STATUS),
		    .timestamp = db_rows_int(rows, RECENT_TIMESTAMP),
		    .link = db_rows_text(rows, RECENT_LINK),
		};
		row(&event, context);
	}
	return true;
}

bool
store_reader_has(struct db *db, const struct store_reader *reader, enum store_event_status status,
    bool *has_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[HAS],
	    DB_VALUES(db_id(&reader->email_id), db_int(reader->number),
		db_id(&reader->workspace_id), db_int(status)),
	    error);

	if (!rows)
		return false;
	*has_r = db_rows_next(rows);
	return true;
}

bool
store_reader_mark(struct db *db, const struct store_reader *reader, gint64 since, GError **error)
{
	struct base_id floor = base_id_floor(since);

	return db_run(db, sql[MARK],
	    DB_VALUES(db_id(&reader->email_id), db_id(&floor), db_int(reader->number),
		db_id(&reader->workspace_id), db_int(EVENT_OPENED), db_int(EVENT_CLICKED),
		db_int(since)),
	    NULL, error);
}
