/* SPDX-License-Identifier: MIT */
/* Reads the people to whom a broadcast may go, makes the rows of its recipients, and counts. */
#include "store/broadcast/recipient.h"

#include <string.h>

#include "base/clock.h"
#include "db/connection.h"
#include "db/statement.h"
#include "store/broadcast/people.h"
#include "store/consent/suppression.h"
#include "store/person/audience.h"

enum {
	PEOPLE,
	MEMBERS,
	MEMBER_COUNT,
	MEMBERS_TO,
	SAMPLE,
	ADD,
	PUT_OFF,
	SETTLE,
	SETTLE_MANY,
	COUNT,
	IS_IDLE,
	WAKE
};
/* By checked ids: PUT_OFF, SETTLE, SETTLE_MANY. The caller has claimed the outbox entry of this
 * recipient.
 */
static const char *const sql[] = {
    [PEOPLE] = "SELECT " BROADCAST_PERSON_COLUMNS " FROM person p FORCE INDEX (cohort)"
	       " WHERE p.workspace_id = ? AND p.id > ? ORDER BY p.id LIMIT ?",
    [MEMBERS] = "SELECT " BROADCAST_PERSON_COLUMNS
		" FROM (SELECT DISTINCT c.address FROM broadcast_audience l STRAIGHT_JOIN contact c"
		" ON c.audience_id = l.audience_id WHERE l.broadcast_id = ?) m"
		" STRAIGHT_JOIN person p FORCE INDEX (address) ON p.address = m.address"
		" WHERE p.workspace_id = ? AND p.id > ? ORDER BY p.id LIMIT ?",
    [MEMBER_COUNT] = "SELECT SUM(k.contacts) FROM broadcast_audience l"
		     " STRAIGHT_JOIN audience_counter k ON k.audience_id = l.audience_id"
		     " WHERE l.broadcast_id = ? AND l.workspace_id = ?",
    [MEMBERS_TO] =
	"SELECT COUNT(*) FROM (SELECT 1 FROM broadcast_audience l STRAIGHT_JOIN contact c"
	" ON c.audience_id = l.audience_id WHERE l.broadcast_id = ? AND l.workspace_id = ?"
	" LIMIT ?) m",
    [SAMPLE] = "SELECT variant FROM broadcast_recipient FORCE INDEX (PRIMARY)"
	       " WHERE broadcast_id = ? AND workspace_id = ? LIMIT ?",
    [ADD] = "INSERT INTO broadcast_recipient"
	    " (broadcast_id, person_id, workspace_id, variant, queue, status, due, marks)"
	    " VALUES (?, ?, ?, ?, ?, 1, ?, ?)",
    [PUT_OFF] = "UPDATE broadcast_recipient SET due = ? WHERE broadcast_id = ? AND person_id = ?",
    [SETTLE] = "UPDATE broadcast_recipient SET status = ?, reason = ?, sent_at = ?,"
	       " queue = NULL WHERE broadcast_id = ? AND person_id = ?",
    [SETTLE_MANY] = "UPDATE broadcast_recipient FORCE INDEX (PRIMARY) SET status = ?, reason = ?,"
		    " sent_at = CASE person_id" DB_WHEN_25 " END, queue = NULL"
		    " WHERE broadcast_id = ? AND person_id IN (" DB_MARKS_25 ")",
    [COUNT] = "INSERT INTO broadcast_counter (broadcast_id, variant, stripe, workspace_id,"
	      " recipients, excluded, sent, failed, skipped, cancelled, tried)"
	      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	      " ON DUPLICATE KEY UPDATE recipients = recipients + VALUES(recipients),"
	      " excluded = excluded + VALUES(excluded), sent = sent + VALUES(sent),"
	      " failed = failed + VALUES(failed), skipped = skipped + VALUES(skipped),"
	      " cancelled = cancelled + VALUES(cancelled), tried = tried + VALUES(tried)",
    [IS_IDLE] = "SELECT SUM(taken) <= SUM(sent) + SUM(failed) + SUM(skipped) + SUM(cancelled)"
		" FROM broadcast_counter WHERE broadcast_id = ? AND workspace_id = ?",
    /* A condition on the time would be tested, without waiting, on the row as it is before whoever
       has locked it commits. */
    [WAKE] = "UPDATE broadcast SET due = LEAST(due, ?) WHERE id = ? AND workspace_id = ?"
	     " AND due IS NOT NULL",
};

#define ADD_COLUMNS 7
#define SETTLE_ROWS 25 /* SETTLE_MANY settles so many */

/* Reads a number, and compares it with a limit. */
static bool
recipient_is_within(
    struct db *db, const struct db_query *query, guint limit, bool *is_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, query->sql, query->values, query->count, error);

	*is_r = rows && db_rows_next(rows) && db_rows_int(rows, DB_ROWS_ONLY) <= limit;
	return rows != NULL;
}

/* Whether the audiences have few members: then these are read, and not everybody. Each page reads
   all of them, so those that the counters call few are counted. */
static bool
has_few(struct db *db, const struct store_broadcast *broadcast, guint limit, bool *few_r,
    GError **error)
{
	const struct db_value id = db_id(&broadcast->id);
	const struct db_value by_counters[] = {id, db_id(&broadcast->workspace_id)};
	const struct db_value by_rows[] = {id, by_counters[1], db_int((gint64)limit + 1)};

	return recipient_is_within(db, &(struct db_query){sql[MEMBER_COUNT], by_counters, 2}, limit,
		   few_r, error) &&
	       (!*few_r || recipient_is_within(db, &(struct db_query){sql[MEMBERS_TO], by_rows, 3},
			       limit, few_r, error));
}

struct db_rows *
store_broadcast_people(struct db *db, const struct store_broadcast *broadcast,
    const struct base_id *after, guint limit, bool by_segment, GError **error)
{
	static const struct base_id first = {{0}};
	struct db_value values[BROADCAST_PERSON_VALUES + 4];
	guint count = BROADCAST_PERSON_VALUES;
	bool few = false;

	if (!by_segment && !has_few(db, broadcast, limit, &few, error))
		return NULL;
	store_broadcast_person_values(broadcast, values);
	if (few)
		values[count++] = db_id(&broadcast->id);
	values[count++] = db_id(&broadcast->workspace_id);
	values[count++] = db_id(after ? after : &first);
	values[count++] = db_int(limit);
	return db_select(db, sql[few ? MEMBERS : PEOPLE], values, count, error);
}

void
store_broadcast_person_values(const struct store_broadcast *broadcast, struct db_value *values_r)
{
	values_r[0] = db_id(&broadcast->id);
	values_r[1] = db_id(broadcast->has_topic ? &broadcast->topic_id : NULL);
}

/* The columns of BROADCAST_PERSON_COLUMNS. */
enum {
	P_ID,
	P_ADDRESS,
	P_TIME_ZONE,
	P_WANTS_ALL,
	P_SUBSCRIBED,
	P_SCOPE,
	P_WANTS_TOPIC,
	P_AGREED,
	P_SNOOZED
};

static enum store_broadcast_reason
recipient_reason_of(const struct db_rows *rows)
{
	gint64 scope = db_rows_int(rows, P_SCOPE);

	if (scope == SUPPRESSION_ALL)
		return REASON_SUPPRESSED;
	if (scope == SUPPRESSION_AUTOMATION || !db_rows_int(rows, P_WANTS_ALL))
		return REASON_UNSUBSCRIBED;
	if (!db_rows_is_null(rows, P_WANTS_TOPIC) && !db_rows_int(rows, P_WANTS_TOPIC))
		return REASON_TOPIC;
	return db_rows_int(rows, P_SNOOZED) > base_clock_now() ? REASON_SNOOZED : 0;
}

enum store_broadcast_reason
store_broadcast_person_reason(const struct store_broadcast_person *person, bool is_named)
{
	if (person->reason || person->is_subscribed)
		return person->reason;
	/* A person of an audience of the broadcast who is not subscribed there has said no. */
	if (is_named && person->has_agreed && !person->is_member)
		return 0;
	return REASON_AUDIENCE;
}

void
store_broadcast_person_read(struct db_rows *rows, struct store_broadcast_person *person_r)
{
	memset(person_r, 0, sizeof(*person_r));
	db_rows_id(rows, P_ID, &person_r->id);
	person_r->address = db_rows_text(rows, P_ADDRESS);
	person_r->time_zone = db_rows_text(rows, P_TIME_ZONE);
	person_r->is_member = !db_rows_is_null(rows, P_SUBSCRIBED);
	person_r->is_subscribed = db_rows_int(rows, P_SUBSCRIBED) != 0;
	person_r->has_agreed = db_rows_int(rows, P_AGREED) != 0;
	person_r->reason = recipient_reason_of(rows);
}

bool
store_broadcast_person_next(struct db_rows *rows, struct store_broadcast_person *person_r)
{
	if (!db_rows_next(rows))
		return false;
	store_broadcast_person_read(rows, person_r);
	return true;
}

/* Numbers to add to the counters of a variant. */
struct tally {
	const struct base_id *workspace, *broadcast;
	int variant;
	gint64 recipients, excluded, tried, fates[FATE_CANCELLED + 1];
};

static bool
count_up(struct db *db, const struct tally *tally, GError **error)
{
	return db_defer(db, sql[COUNT],
	    DB_VALUES(db_id(tally->broadcast), db_int(tally->variant),
		db_int(store_audience_stripe(db)), db_id(tally->workspace),
		db_int(tally->recipients), db_int(tally->excluded), db_int(tally->fates[FATE_SENT]),
		db_int(tally->fates[FATE_FAILED]), db_int(tally->fates[FATE_SKIPPED]),
		db_int(tally->fates[FATE_CANCELLED]), db_int(tally->tried)),
	    1, error);
}

bool
store_broadcast_recipients_sample(struct db *db, const struct store_broadcast *broadcast,
    guint limit, guint counts_r[BROADCAST_REST + 1], guint *found_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[SAMPLE],
	    DB_VALUES(db_id(&broadcast->id), db_id(&broadcast->workspace_id), db_int(limit)),
	    error);

	*found_r = 0;
	if (!rows)
		return false;
	for (; db_rows_next(rows); (*found_r)++)
		counts_r[CLAMP(db_rows_int(rows, DB_ROWS_ONLY), 0, BROADCAST_REST)]++;
	return true;
}

bool
store_broadcast_recipients_add(struct db *db, const struct store_broadcast *broadcast,
    const struct store_broadcast_recipient *recipients, guint count, guint excluded, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)ADD_COLUMNS * (count + 1));
	const struct tally tally = {
	    &broadcast->workspace_id, &broadcast->id, 0, count, excluded, 0, {0}};

	for (guint i = 0; i < count; i++) {
		const struct store_broadcast_recipient *r = &recipients[i];
		const struct db_value row[ADD_COLUMNS] = {db_id(&broadcast->id),
		    db_id(&r->person_id), db_id(&broadcast->workspace_id), db_int(r->variant),
		    db_int(r->variant), db_int(r->due), db_int(r->is_named ? MARK_SEGMENT : 0)};

		memcpy(values + (gsize)ADD_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[ADD], values, ADD_COLUMNS, count, NULL, error) &&
	       count_up(db, &tally, error);
}

bool
store_broadcast_put_off(
    struct db *db, const struct store_broadcast_wait *waits, guint count, GError **error)
{
	for (guint i = 0; i < count; i++)
		if (!db_defer(db, sql[PUT_OFF],
			DB_VALUES(db_int(waits[i].due), db_id(&waits[i].broadcast_id),
			    db_id(&waits[i].person_id)),
			1, error))
			return false;
	return true;
}

/* Counts the results of the first one's broadcast and variant that are not counted yet. */
static bool
count_like(struct db *db, const struct store_broadcast_result *results, guint count, bool *counted,
    GError **error)
{
	struct tally tally = {
	    &results->workspace_id, &results->broadcast_id, results->variant, 0, 0, 0, {0}};

	for (guint i = 0; i < count; i++)
		if (!counted[i] && results[i].variant == results->variant &&
		    base_id_equal(&results[i].broadcast_id, &results->broadcast_id)) {
			tally.fates[results[i].fate]++;
			tally.tried += results[i].is_tried;
			counted[i] = true;
		}
	return count_up(db, &tally, error);
}

static bool
is_alike(const struct store_broadcast_result *a, const struct store_broadcast_result *b)
{
	return a->fate == b->fate && a->reason == b->reason &&
	       base_id_equal(&a->broadcast_id, &b->broadcast_id);
}

/* Stores results that are alike. The statement repeats the last one. */
static bool
settle_many(
    struct db *db, const struct store_broadcast_result *const *results, guint count, GError **error)
{
	struct db_value values[3 + 3 * SETTLE_ROWS], *value = values;

	*value++ = db_int(results[0]->fate);
	*value++ = db_int(results[0]->reason);
	for (guint i = 0; i < SETTLE_ROWS; i++) {
		*value++ = db_id(&results[MIN(i, count - 1)]->person_id);
		*value++ = db_int(results[MIN(i, count - 1)]->sent);
	}
	*value++ = db_id(&results[0]->broadcast_id);
	for (guint i = 0; i < SETTLE_ROWS; i++)
		*value++ = db_id(&results[MIN(i, count - 1)]->person_id);
	return db_defer(db, sql[SETTLE_MANY], values, G_N_ELEMENTS(values), 1, error);
}

static bool
settle_some(
    struct db *db, const struct store_broadcast_result *const *results, guint count, GError **error)
{
	const struct store_broadcast_result *r = results[0];

	if (count > 1)
		return settle_many(db, results, count, error);
	return db_defer(db, sql[SETTLE],
	    DB_VALUES(db_int(r->fate), db_int(r->reason), db_int(r->sent), db_id(&r->broadcast_id),
		db_id(&r->person_id)),
	    1, error);
}

/* Stores the first result that is not settled yet, with those that are alike. */
static bool
settle_like(struct db *db, const struct store_broadcast_result *results, guint count, bool *settled,
    GError **error)
{
	const struct store_broadcast_result *alike[SETTLE_ROWS];
	guint found = 0;

	for (guint i = 0; i < count && found < SETTLE_ROWS; i++)
		if (!settled[i] && is_alike(results, &results[i])) {
			alike[found++] = &results[i];
			settled[i] = true;
		}
	return settle_some(db, alike, found, error);
}

bool
store_broadcast_settle(
    struct db *db, const struct store_broadcast_result *results, guint count, GError **error)
{
	g_autofree bool *counted = g_new0(bool, count + 1);
	g_autofree bool *settled = g_new0(bool, count + 1);

	for (guint i = 0; i < count; i++)
		if (!settled[i] && !settle_like(db, results + i, count - i, settled + i, error))
			return false;
	for (guint i = 0; i < count; i++)
		if (!counted[i] && !count_like(db, results + i, count - i, counted + i, error))
			return false;
	return true;
}

bool
store_broadcast_wake(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[IS_IDLE], DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return false;
	return !db_rows_next(rows) || !db_rows_int(rows, DB_ROWS_ONLY) ||
	       db_run(db, sql[WAKE],
		   DB_VALUES(db_int(base_clock_now()), db_id(id), db_id(workspace)), NULL, error);
}
