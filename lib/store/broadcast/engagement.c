/* SPDX-License-Identifier: MIT */
/* Reads and locks the reader of an email, whom the token of a link names, and counts opens and
   clicks. */
#include "store/broadcast/engagement.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"
#include "store/automation/feedback.h"
#include "store/broadcast/engagement_links.h"
#include "store/broadcast/mark.h"
#include "store/email/email.h"

#define READER(which)                                                                              \
	"SELECT r.email_id, r.number, r.workspace_id, r.address, r.status_at, "                    \
	"e.sender, " STORE_EMAIL_TYPE("e") ", e.topic_id, e.tracking, " STORE_FIGURE_ORIGIN        \
					   " FROM recipient r FORCE INDEX (PRIMARY) "              \
					   "STRAIGHT_JOIN email e ON e.id = r.email_id"            \
					   " AND e.workspace_id = r.workspace_id"                  \
					   " WHERE (" which                                        \
					   ") AND r.address <> '' ORDER BY r.email_id, r.number"
/* The columns of READER. */
enum {
	READER_EMAIL,
	READER_NUMBER,
	READER_WORKSPACE,
	READER_ADDRESS,
	READER_STATUS_AT,
	READER_SENDER,
	READER_TYPE,
	READER_TOPIC,
	READER_TRACKING,
	READER_ORIGIN,
	READER_TEMPLATE,
	READER_WORKFLOW,
	READER_STEP,
	READER_TAGS,
	READER_STREAM,
	READER_BROADCAST
};

#define VISITS(which)                                                                              \
	"SELECT r.email_id, r.number, r.visits, r.opened_at, r.clicked_at"                         \
	" FROM recipient r FORCE INDEX (PRIMARY) WHERE"                                            \
	" (" which ") ORDER BY r.email_id, r.number FOR UPDATE"
/* The columns of VISITS; the first two are those of READER, too. */
enum { VISITS_EMAIL, VISITS_NUMBER, VISITS_COUNT, VISITS_OPENED, VISITS_CLICKED };

#define ONE "r.email_id = ? AND r.number = ?"
#define FIVE ONE " OR " ONE " OR " ONE " OR " ONE " OR " ONE
#define MANY FIVE " OR " FIVE " OR " FIVE " OR " FIVE /* LOCK_READERS */

/* The events of readers that come once. */
#define ONCE(which)                                                                                \
	"SELECT email_id, recipient, status FROM event FORCE INDEX (PRIMARY)"                      \
	" WHERE (" which ") AND (status IN (" EVENT_DELIVERED_SQL ", " EVENT_COMPLAINED_SQL        \
	", " EVENT_UNSUBSCRIBED_SQL ") OR (status = " EVENT_BOUNCED_SQL                            \
	" AND bounce_type = " BOUNCE_PERMANENT_SQL "))"
/* The columns of ONCE. */
enum { ONCE_EMAIL, ONCE_NUMBER, ONCE_STATUS };

#define HAVING "(email_id = ? AND recipient = ?)"
#define HAVING_FIVE HAVING " OR " HAVING " OR " HAVING " OR " HAVING " OR " HAVING
#define HAVING_MANY HAVING_FIVE " OR " HAVING_FIVE " OR " HAVING_FIVE " OR " HAVING_FIVE

#define SINCE                                                                                      \
	"email_id = ? AND recipient = ? AND timestamp >= ? AND workspace_id = ?"                   \
	" AND status IN (?, ?) AND automated = 0"

/* The events of a recipient since a time are a range of the primary key. */
enum {
	GET,
	GET_KEPT,
	GET_MANY,
	LOCK,
	LOCK_MANY,
	STATUSES,
	STATUSES_MANY,
	COUNT,
	RECENT,
	HAS,
	UNMARKED,
	MARK,
	FIRST
};
/* By checked ids: GET, GET_KEPT, GET_MANY, LOCK, LOCK_MANY, STATUSES, STATUSES_MANY. The token of a
   link, which we have signed, or a copy (store/outbox/relay_copy.h) names the email. */
/* By checked ids: COUNT. LOCK has found the reader. */
static const char *const sql[] = {
    [GET] = READER(ONE),
    [GET_KEPT] = "SELECT email_id, number, workspace_id, address, NULL, sender, 0, topic_id, 0,"
		 " NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM reader_kept WHERE email_id = ? "
		 "AND number = ?",
    [GET_MANY] = READER(MANY),
    [LOCK] = VISITS(ONE),
    [LOCK_MANY] = VISITS(MANY),
    [STATUSES] = ONCE(HAVING),
    [STATUSES_MANY] = ONCE(HAVING_MANY),
    [COUNT] = "UPDATE recipient SET visits = ?, opened_at = ?, clicked_at = ?"
	      " WHERE email_id = ? AND number = ?",
    [RECENT] = "SELECT status, timestamp, link FROM event"
	       " WHERE email_id = ? AND recipient = ? AND timestamp >= ? AND workspace_id = ?"
	       " ORDER BY timestamp, id LIMIT 1000",
    [HAS] = "SELECT 1 FROM event WHERE email_id = ? AND recipient = ? AND workspace_id = ?"
	    " AND status = ? LIMIT 1",
    [UNMARKED] = "SELECT status, timestamp, link FROM event WHERE " SINCE,
    [MARK] = "UPDATE event SET automated = 1 WHERE " SINCE,
    [FIRST] = "SELECT MIN(IF(status = ?, timestamp, NULL)), MIN(IF(status = ?, timestamp, NULL))"
	      " FROM event FORCE INDEX (PRIMARY) WHERE email_id = ? AND recipient = ?"
	      " AND workspace_id = ? AND automated = 0",
};
/* The columns of RECENT. */
enum { RECENT_STATUS, RECENT_TIMESTAMP, RECENT_LINK };

/* The columns of UNMARKED. */
enum { UNMARKED_STATUS, UNMARKED_TIMESTAMP, UNMARKED_LINK };

/* The columns of FIRST. */
enum { FIRST_OPENED, FIRST_CLICKED };

#define COUNT_COLUMNS 5

static struct store_engagement *
engagement_read_row(const struct db_rows *rows)
{
	struct store_engagement *reader = g_new0(struct store_engagement, 1);

	db_rows_id(rows, READER_EMAIL, &reader->email_id);
	reader->number = (guint)db_rows_int(rows, READER_NUMBER);
	db_rows_id(rows, READER_WORKSPACE, &reader->workspace_id);
	reader->address = g_strdup(db_rows_text(rows, READER_ADDRESS));
	reader->latest = db_rows_int(rows, READER_STATUS_AT);
	reader->sender = g_strdup(db_rows_text(rows, READER_SENDER));
	reader->type = (enum store_email_type)db_rows_int(rows, READER_TYPE);
	reader->has_topic = !db_rows_is_null(rows, READER_TOPIC);
	if (reader->has_topic)
		db_rows_id(rows, READER_TOPIC, &reader->topic_id);
	reader->is_mailing =
	    reader->has_topic || (db_rows_int(rows, READER_TRACKING) & TRACK_UNSUBSCRIBE) != 0;
	reader->is_test = (db_rows_int(rows, READER_TRACKING) & TRACK_TEST) != 0;
	store_figure_origin_read(rows, READER_ORIGIN, &reader->origin);
	return reader;
}

static struct store_engagement *
engagement_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Email not found");
	return NULL;
}

struct store_engagement *
store_engagement_get(struct db *db, const struct base_id *email, guint number, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[GET], DB_VALUES(db_id(email), db_int(number)), error);

	if (!rows)
		return NULL;
	return db_rows_next(rows) ? engagement_read_row(rows) : engagement_missing(error);
}

struct store_engagement *
store_engagement_get_kept(struct db *db, const struct base_id *email, guint number, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[GET_KEPT], DB_VALUES(db_id(email), db_int(number)), error);

	if (!rows)
		return NULL;
	struct store_engagement *reader =
	    db_rows_next(rows) ? engagement_read_row(rows) : engagement_missing(error);
	if (reader)
		reader->is_kept = true;
	return reader;
}

int
store_engagement_compare(
    const struct store_engagement_name *a, const struct store_engagement_name *b)
{
	int order = memcmp(&a->email_id, &b->email_id, sizeof(a->email_id));

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static bool
engagement_is_of(const struct db_rows *rows, const struct store_engagement_name *name)
{
	struct base_id email;

	db_rows_id(rows, READER_EMAIL, &email);
	return base_id_equal(&email, &name->email_id) &&
	       db_rows_int(rows, READER_NUMBER) == name->number;
}

/* Reads the times of the first open and click, of which no column tells. */
static bool
engagement_read_first(struct db *db, struct store_engagement *reader, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[FIRST],
	    DB_VALUES(db_int(EVENT_OPENED), db_int(EVENT_CLICKED), db_id(&reader->email_id),
		db_int(reader->number), db_id(&reader->workspace_id)),
	    error);

	if (!rows || !db_rows_next(rows))
		return false;
	reader->opened.now = db_rows_int(rows, FIRST_OPENED);
	reader->clicked.now = db_rows_int(rows, FIRST_CLICKED);
	return true;
}

/* The engagements in the row of a locked recipient. */
struct visits {
	gint64 count, opened, clicked;
	bool is_noted; /* opened and clicked are */
};

static struct visits
read_visits(const struct db_rows *rows)
{
	return (struct visits){db_rows_int(rows, VISITS_COUNT), db_rows_int(rows, VISITS_OPENED),
	    db_rows_int(rows, VISITS_CLICKED), !db_rows_is_null(rows, VISITS_OPENED)};
}

static bool
set_visits(
    struct db *db, struct store_engagement *reader, const struct visits *visits, GError **error)
{
	reader->engagements = visits->count;
	reader->opened.now = visits->opened;
	reader->clicked.now = visits->clicked;
	/* An earlier version has counted the visits alone. */
	if (visits->count > 0 && !visits->is_noted && !engagement_read_first(db, reader, error))
		return false;
	reader->opened.counted = reader->opened.now;
	reader->clicked.counted = reader->clicked.now;
	if (!reader->origin.has_broadcast)
		return true;
	const struct store_reader_links_of of = {
	    &reader->workspace_id, &reader->email_id, reader->number, &reader->origin};
	reader->links = store_reader_links_read(db, &of, reader->clicked.now != 0, error);
	return reader->links;
}

/* Adds the readers of these names. Both results are in the order of the names. */
static bool
engagement_add_readers(struct db *db, GPtrArray *readers, const struct store_engagement_name *names,
    guint count, struct db_rows *const *rows, GError **error)
{
	struct db_rows *locked = rows[0], *found = rows[1];
	bool has_visits = db_rows_next(locked), has_found = db_rows_next(found);

	for (guint i = 0; i < count; i++) {
		struct store_engagement *reader = NULL;
		struct visits visits = {0};

		if (has_visits && engagement_is_of(locked, &names[i])) {
			visits = read_visits(locked);
			has_visits = db_rows_next(locked);
		}
		if (has_found && engagement_is_of(found, &names[i])) {
			reader = engagement_read_row(found);
			has_found = db_rows_next(found);
		}
		g_ptr_array_add(readers, reader);
		if (reader && !set_visits(db, reader, &visits, error))
			return false;
	}
	return true;
}

/* Up to LOCK_READERS names; the last one fills the other places. */
static bool
lock_some(struct db *db, const struct store_engagement_name *names, guint count, GPtrArray *readers,
    GError **error)
{
	struct db_value values[2 * LOCK_READERS];
	guint places = count == 1 ? 1 : LOCK_READERS;
	const struct db_query queries[] = {
	    {sql[count == 1 ? LOCK : LOCK_MANY], values, 2 * places},
	    {sql[count == 1 ? GET : GET_MANY], values, 2 * places},
	};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	for (guint i = 0; i < places; i++) {
		values[2 * i] = db_id(&names[MIN(i, count - 1)].email_id);
		values[2 * i + 1] = db_int(names[MIN(i, count - 1)].number);
	}
	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return false;
	bool done = engagement_add_readers(db, readers, names, count, rows, error);
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return done;
}

/* Up to LOCK_READERS names. */
static bool
engagement_read_statuses(struct db *db, const struct store_engagement_name *names, guint count,
    guint *statuses, GError **error)
{
	struct db_value values[2 * LOCK_READERS];
	guint places = count == 1 ? 1 : LOCK_READERS;

	for (guint i = 0; i < places; i++) {
		values[2 * i] = db_id(&names[MIN(i, count - 1)].email_id);
		values[2 * i + 1] = db_int(names[MIN(i, count - 1)].number);
	}
	AUTO(db_rows) rows = db_select(
	    db, sql[count == 1 ? STATUSES : STATUSES_MANY], values, 2 * (gsize)places, error);
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct store_engagement_name name = {
		    .number = (guint)db_rows_int(rows, ONCE_NUMBER)};

		db_rows_id(rows, ONCE_EMAIL, &name.email_id);
		for (guint i = 0; i < count; i++)
			if (store_engagement_compare(&names[i], &name) == 0)
				statuses[i] |= 1u << db_rows_int(rows, ONCE_STATUS);
	}
	return true;
}

bool
store_engagement_statuses(struct db *db, const struct store_engagement_name *names, guint count,
    guint *statuses_r, GError **error)
{
	base_array_clear(statuses_r, count, sizeof(*statuses_r));
	for (guint i = 0; i < count; i += LOCK_READERS)
		if (!engagement_read_statuses(
			db, names + i, MIN(count - i, LOCK_READERS), statuses_r + i, error))
			return false;
	return true;
}

static void
engagement_free_reader(void *reader)
{
	if (reader)
		store_engagement_free(reader);
}

GPtrArray *
store_engagement_lock_all(
    struct db *db, const struct store_engagement_name *names, guint count, GError **error)
{
	g_autoptr(GPtrArray) readers = g_ptr_array_new_full(count, engagement_free_reader);

	for (guint i = 0; i < count; i += LOCK_READERS)
		if (!lock_some(db, names + i, MIN(count - i, LOCK_READERS), readers, error))
			return NULL;
	return g_steal_pointer(&readers);
}

struct store_engagement *
store_engagement_lock(struct db *db, const struct base_id *email, guint number, GError **error)
{
	const struct store_engagement_name name = {*email, number};
	g_autoptr(GPtrArray) readers = store_engagement_lock_all(db, &name, 1, error);

	if (!readers)
		return NULL;
	struct store_engagement *reader = g_steal_pointer(&readers->pdata[0]);
	return reader ? reader : engagement_missing(error);
}

static void
note_first(struct store_engagement_first *first, gint64 time)
{
	if (first->now == 0 || time < first->now)
		first->now = time;
}

static void
note_people(struct store_engagement *reader, const struct store_event *events, guint count)
{
	for (guint i = 0; i < count; i++) {
		const struct store_event *e = &events[i];

		if (e->automated || e->recipient != reader->number ||
		    !base_id_equal(&e->email_id, &reader->email_id))
			continue;
		if (e->status == EVENT_OPENED)
			note_first(&reader->opened, e->timestamp);
		if (e->status == EVENT_CLICKED)
			note_first(&reader->clicked, e->timestamp);
	}
}

/* A first one was counted on the wrong day if an earlier one comes later, or a program made it. */
static void
engagement_count_first(struct db *db, const struct store_engagement *reader,
    enum store_figure figure, const struct store_engagement_first *first)
{
	if (first->counted == first->now)
		return;
	if (first->counted)
		store_figure_count(db, &reader->workspace_id, &reader->origin, reader->address,
		    &(struct store_figure_change){figure, first->counted, -1});
	if (first->now)
		store_figure_count(db, &reader->workspace_id, &reader->origin, reader->address,
		    &(struct store_figure_change){figure, first->now, 1});
}

/* Counts the links of a broadcast, and marks its recipient if that makes a difference. */
static bool
count_of_broadcast(struct db *db, const struct store_engagement *reader,
    const struct store_event *events, guint count, GError **error)
{
	const struct store_engagement_first *opened = &reader->opened, *clicked = &reader->clicked;

	store_reader_links_count(db, reader->links, events, count);
	if (opened->counted == opened->now && clicked->counted == clicked->now)
		return true;
	return store_broadcast_mark_reader(db, &reader->workspace_id,
	    &(struct store_broadcast_reading){
		&reader->email_id, reader->number, opened->now, clicked->now},
	    error);
}

bool
store_engagement_count(struct db *db, const GPtrArray *readers, const struct store_event *events,
    guint count, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)COUNT_COLUMNS * readers->len);
	gsize rows = 0;

	for (guint i = 0; i < readers->len; i++) {
		struct store_engagement *reader = readers->pdata[i];

		if (!reader)
			continue;
		note_people(reader, events, count);
		engagement_count_first(db, reader, FIGURE_OPENED_PEOPLE, &reader->opened);
		engagement_count_first(db, reader, FIGURE_CLICKED_PEOPLE, &reader->clicked);
		if (reader->links && !count_of_broadcast(db, reader, events, count, error))
			return false;
		const struct db_value row[COUNT_COLUMNS] = {db_int(reader->engagements),
		    db_int(reader->opened.now), db_int(reader->clicked.now),
		    db_id(&reader->email_id), db_int(reader->number)};
		memcpy(values + COUNT_COLUMNS * rows++, row, sizeof(row));
	}
	return db_defer(db, sql[COUNT], values, COUNT_COLUMNS, rows, error);
}

void
store_engagement_free(struct store_engagement *reader)
{
	g_free(reader->address);
	g_free(reader->sender);
	g_clear_pointer(&reader->links, store_reader_links_free);
	store_figure_origin_clear(&reader->origin);
	g_free(reader);
}

bool
store_engagement_recent(struct db *db, const struct store_engagement *reader, gint64 since,
    void (*row)(const struct store_event *event, void *context), void *context, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[RECENT],
	    DB_VALUES(db_id(&reader->email_id), db_int(reader->number), db_int(since),
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
store_engagement_has(struct db *db, const struct store_engagement *reader,
    enum store_event_status status, bool *has_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[HAS],
	    DB_VALUES(db_id(&reader->email_id), db_int(reader->number),
		db_id(&reader->workspace_id), db_int(status)),
	    error);

	if (!rows)
		return false;
	*has_r = db_rows_next(rows);
	return true;
}

/* Moves the open or the click of a row in the figures from people to programs. */
static void
recount(struct db *db, const struct store_engagement *reader, const struct db_rows *row)
{
	bool opened = db_rows_int(row, UNMARKED_STATUS) == EVENT_OPENED;
	enum store_figure from = opened ? FIGURE_OPENED : FIGURE_CLICKED,
			  to = opened ? FIGURE_OPENED_MACHINE : FIGURE_CLICKED_MACHINE;
	gint64 time = db_rows_int(row, UNMARKED_TIMESTAMP);
	const char *link = db_rows_text(row, UNMARKED_LINK);

	store_figure_count(db, &reader->workspace_id, &reader->origin, reader->address,
	    &(struct store_figure_change){from, time, -1});
	store_figure_count(db, &reader->workspace_id, &reader->origin, reader->address,
	    &(struct store_figure_change){to, time, 1});
	store_figure_count_link(db, &reader->workspace_id, &reader->origin, link,
	    &(struct store_figure_change){from, time, -1});
	store_figure_count_link(db, &reader->workspace_id, &reader->origin, link,
	    &(struct store_figure_change){to, time, 1});
}

bool
store_engagement_mark(struct db *db, struct store_engagement *reader, gint64 since, GError **error)
{
	const struct db_value values[] = {db_id(&reader->email_id), db_int(reader->number),
	    db_int(since), db_id(&reader->workspace_id), db_int(EVENT_OPENED),
	    db_int(EVENT_CLICKED)};
	AUTO(db_rows) rows = db_select(db, sql[UNMARKED], values, G_N_ELEMENTS(values), error);
	bool any = false;

	if (!rows)
		return false;
	for (; db_rows_next(rows); any = true)
		recount(db, reader, rows);
	return !any || (db_run(db, sql[MARK], values, G_N_ELEMENTS(values), NULL, error) &&
			   engagement_read_first(db, reader, error) &&
			   store_automation_feedback_drop(
			       db, &reader->workspace_id, &reader->email_id, since, error) &&
			   (!reader->links || store_reader_links_reread(db, reader->links, error)));
}
