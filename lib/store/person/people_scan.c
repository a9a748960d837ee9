/* SPDX-License-Identifier: MIT */
/* Reads people in the order of their ids, and the facts about them by which segments decide. */
#include "store/person/people_scan.h"

#include <string.h>

#include "base/clock.h"
#include "base/secret.h"
#include "db/statement.h"
#include "store/broadcast/recipient.h"
#include "store/broadcast/status.h"
#include "store/email/event.h"

/* The columns of WITH_FIELDS, of which the others have the first ones. */
enum {
	P_ID,
	P_ADDRESS,
	P_IS_SUBSCRIBED,
	P_AGREED,
	P_PROPERTIES,
	P_EMAIL,
	P_FIRST_NAME,
	P_LAST_NAME,
	P_LANGUAGE,
	P_TIME_ZONE,
	P_CREATED
};
#define COHORT "SELECT p.id, p.address, p.is_subscribed, p.agreed"
#define WITH_PROPERTIES COHORT ", p.properties"
#define WITH_EMAIL WITH_PROPERTIES ", p.email"
#define WITH_FIELDS WITH_EMAIL ", p.first_name, p.last_name, p.language, p.time_zone, p.created"
#define EVERYBODY                                                                                  \
	" FROM person p FORCE INDEX (cohort) WHERE p.workspace_id = ? AND p.id > ?"                \
	" ORDER BY p.id LIMIT ?"
/* If all people of a range are of the workspace, their rows are read in order, and no key. */
#define DENSE                                                                                      \
	" FROM person p FORCE INDEX (PRIMARY) WHERE p.workspace_id = ? AND p.id > ?"               \
	" ORDER BY p.id LIMIT ? ROWS EXAMINED ?"
#define MEMBERS                                                                                    \
	" FROM segment_member m STRAIGHT_JOIN person p ON p.id = m.person_id"                      \
	" WHERE m.workspace_id = ? AND m.segment_id = ? AND m.person_id > ?"                       \
	" ORDER BY m.person_id LIMIT ?"

#define BACK_EVERYBODY                                                                             \
	"SELECT id FROM person FORCE INDEX (cohort) WHERE workspace_id = ? AND id < ?"             \
	" ORDER BY id DESC LIMIT 1 OFFSET ?"
#define BACK_MEMBERS                                                                               \
	"SELECT person_id FROM segment_member WHERE workspace_id = ? AND segment_id = ?"           \
	" AND person_id < ? ORDER BY person_id DESC LIMIT 1 OFFSET ?"

#define PEOPLE "SELECT p.id FROM person p FORCE INDEX (cohort)"
#define RANGE " WHERE p.workspace_id = ? AND p.id > ? AND p.id <= ? ORDER BY p.id"
#define CONTACT                                                                                    \
	PEOPLE " STRAIGHT_JOIN contact c ON c.audience_id = ? AND c.address = p.address"           \
	       " AND c.workspace_id = p.workspace_id"
#define CHOICE                                                                                     \
	PEOPLE " STRAIGHT_JOIN choice_part c ON c.workspace_id = p.workspace_id"                   \
	       " AND c.person = p.address AND c.target_id = ? AND c.is_topic = 1"
#define ACTIVITY                                                                                   \
	PEOPLE " STRAIGHT_JOIN person_activity v ON v.workspace_id = p.workspace_id"               \
	       " AND v.address = p.address AND v."

/* status: see enum store_event_status. */
#define BROADCAST(condition, status)                                                               \
	"SELECT r.person_id FROM broadcast_recipient r FORCE INDEX (PRIMARY)"                      \
	" WHERE r.broadcast_id = ? AND r.workspace_id = ? AND r.person_id > ?"                     \
	" AND r.person_id <= ? AND r." condition " AND (? = 0 OR EXISTS (SELECT 1"                 \
	" FROM event v FORCE INDEX (PRIMARY) WHERE v.email_id = r.email_id"                        \
	" AND v.recipient = r.number AND v.status = " status " AND v.automated = 0"                \
	" AND v.timestamp >= ?)) ORDER BY r.person_id"

#define CONTACTS                                                                                   \
	"SELECT c.address FROM contact c FORCE INDEX (PRIMARY) WHERE c.audience_id = ?"            \
	" AND c.workspace_id = ? AND c.address > ?"
#define CHOICES                                                                                    \
	"SELECT c.person FROM choice_part c FORCE INDEX (target) WHERE c.target_id = ?"            \
	" AND c.workspace_id = ? AND c.person > ? AND c.is_topic = 1"
#define BY_ADDRESS " ORDER BY c.address LIMIT ?"
#define BY_PERSON " ORDER BY c.person LIMIT ?"
#define ACTIVE                                                                                     \
	"SELECT v.address FROM person_activity v FORCE INDEX (PRIMARY) WHERE v.workspace_id = ?"   \
	" AND v.address > ? AND v."
#define BY_ACTIVITY " >= ? ORDER BY v.address LIMIT ?"

enum {
	ALL, /* and so on, by detail, here and below */
	IN_ORDER = ALL + COHORT_FIELDS + 1,
	FROZEN = IN_ORDER + COHORT_FIELDS + 1,
	BACK = FROZEN + COHORT_FIELDS + 1,
	FROZEN_BACK,
	FACTS,
	HOLDERS = FACTS + FACT_COUNT,
	TARGETS = HOLDERS + FACT_EVENT,
	SUPPRESSED = TARGETS + COHORT_BROADCAST + 1,
	SNOOZED,
	ERASED
};
static const char *const sql[] = {
    [ALL + COHORT_KEY] = COHORT EVERYBODY,
    [ALL + COHORT_PROPERTIES] = WITH_PROPERTIES EVERYBODY,
    [ALL + COHORT_EMAIL] = WITH_EMAIL EVERYBODY,
    [ALL + COHORT_FIELDS] = WITH_FIELDS EVERYBODY,
    [IN_ORDER + COHORT_PROPERTIES] = WITH_PROPERTIES DENSE,
    [IN_ORDER + COHORT_EMAIL] = WITH_EMAIL DENSE,
    [IN_ORDER + COHORT_FIELDS] = WITH_FIELDS DENSE,
    [FROZEN + COHORT_KEY] = COHORT MEMBERS,
    [FROZEN + COHORT_PROPERTIES] = WITH_PROPERTIES MEMBERS,
    [FROZEN + COHORT_EMAIL] = WITH_EMAIL MEMBERS,
    [FROZEN + COHORT_FIELDS] = WITH_FIELDS MEMBERS,
    [BACK] = BACK_EVERYBODY,
    [FROZEN_BACK] = BACK_MEMBERS,
    [FACTS + FACT_MEMBER] = CONTACT RANGE,
    [FACTS + FACT_SUBSCRIBED] = CONTACT " AND c.is_subscribed = 1" RANGE,
    [FACTS + FACT_UNSUBSCRIBED] = CONTACT " AND c.is_subscribed = 0 AND c.pending IS NULL" RANGE,
    [FACTS + FACT_PENDING] = CONTACT " AND c.is_subscribed = 0 AND c.pending IS NOT NULL" RANGE,
    [FACTS + FACT_CHOSEN] = CHOICE " AND c.is_chosen = 1" RANGE,
    [FACTS + FACT_LEFT] = CHOICE " AND c.is_chosen = 0" RANGE,
    [FACTS + FACT_SENT] = ACTIVITY "sent >= ?" RANGE,
    [FACTS + FACT_OPENED] = ACTIVITY "opened >= ?" RANGE,
    [FACTS + FACT_CLICKED] = ACTIVITY "clicked >= ?" RANGE,
    [FACTS + FACT_BOUNCED] = ACTIVITY "bounced >= ?" RANGE,
    /* The key alone has all columns. */
    [FACTS + FACT_EVENT] = "SELECT e.contact_id FROM automation_event e FORCE INDEX (named)"
			   " WHERE e.workspace_id = ? AND e.contact_id > ? AND e.contact_id <= ?"
			   " AND e.name = ? AND e.timestamp >= ? GROUP BY e.contact_id"
			   " HAVING COUNT(*) >= ? ORDER BY e.contact_id",
    [FACTS + FACT_BROADCAST_SENT] = BROADCAST("status = " FATE_SENT_SQL, EVENT_SENT_SQL),
    [FACTS + FACT_BROADCAST_OPENED] = BROADCAST("marks & " MARK_OPENED_SQL, EVENT_OPENED_SQL),
    [FACTS + FACT_BROADCAST_CLICKED] = BROADCAST("marks & " MARK_CLICKED_SQL, EVENT_CLICKED_SQL),
    [FACTS + FACT_BROADCAST_BOUNCED] = BROADCAST("marks & " MARK_BOUNCED_SQL, EVENT_BOUNCED_SQL),
    [HOLDERS + FACT_MEMBER] = CONTACTS BY_ADDRESS,
    [HOLDERS + FACT_SUBSCRIBED] = CONTACTS " AND c.is_subscribed = 1" BY_ADDRESS,
    [HOLDERS + FACT_UNSUBSCRIBED] =
	CONTACTS " AND c.is_subscribed = 0 AND c.pending IS NULL" BY_ADDRESS,
    [HOLDERS + FACT_PENDING] =
	CONTACTS " AND c.is_subscribed = 0 AND c.pending IS NOT NULL" BY_ADDRESS,
    [HOLDERS + FACT_CHOSEN] = CHOICES " AND c.is_chosen = 1" BY_PERSON,
    [HOLDERS + FACT_LEFT] = CHOICES " AND c.is_chosen = 0" BY_PERSON,
    [HOLDERS + FACT_SENT] = ACTIVE "sent" BY_ACTIVITY,
    [HOLDERS + FACT_OPENED] = ACTIVE "opened" BY_ACTIVITY,
    [HOLDERS + FACT_CLICKED] = ACTIVE "clicked" BY_ACTIVITY,
    [HOLDERS + FACT_BOUNCED] = ACTIVE "bounced" BY_ACTIVITY,
    [TARGETS + COHORT_AUDIENCE] = "SELECT 0 FROM audience WHERE workspace_id = ? AND id = ?",
    [TARGETS + COHORT_TOPIC] = "SELECT is_opt_in FROM topic WHERE workspace_id = ? AND id = ?",
    [TARGETS + COHORT_BROADCAST] =
	"SELECT COALESCE(started_at, 0) FROM broadcast"
	" WHERE workspace_id = ? AND id = ? AND status <> " BROADCAST_REMOVED_SQL,
    [SUPPRESSED] = "SELECT address FROM suppression WHERE workspace_id = ? AND address > ?"
		   " ORDER BY address LIMIT ?",
    [SNOOZED] = "SELECT address FROM snooze WHERE workspace_id = ? AND address > ?"
		" AND until > ? ORDER BY address LIMIT ?",
    [ERASED] = "SELECT hash, created FROM suppression WHERE workspace_id = ?"
	       " AND hash IS NOT NULL",
};

/* The columns of ERASED. */
enum { ERASED_HASH, ERASED_CREATED };

#define EXAMINED 3 /* rows that may be looked at for one of the workspace */

/* Reads people with their rows. NULL without an error: it found too few, or no more follow. */
static struct db_rows *
read_dense(struct db *db, const struct store_people_scan *cohort, const struct base_id *after,
    GError **error)
{
	struct db_rows *rows = db_select(db, sql[IN_ORDER + cohort->detail],
	    DB_VALUES(db_id(&cohort->workspace), db_id(after), db_int(cohort->limit),
		db_int((gint64)EXAMINED * cohort->limit)),
	    error);

	if (rows && db_rows_count(rows) < cohort->limit)
		g_clear_pointer(&rows, db_rows_free);
	return rows;
}

struct db_rows *
store_people_scan_read(
    struct db *db, struct store_people_scan *cohort, const struct base_id *after, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct db_rows *rows = NULL;

	if (cohort->segment)
		return db_select(db, sql[FROZEN + cohort->detail],
		    DB_VALUES(db_id(&cohort->workspace), db_id(cohort->segment), db_id(after),
			db_int(cohort->limit)),
		    error);
	if (cohort->detail > COHORT_KEY && !cohort->is_sparse &&
	    (rows = read_dense(db, cohort, after, &failure)))
		return rows;
	if (failure) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return NULL;
	}
	cohort->is_sparse = true;
	return db_select(db, sql[ALL + cohort->detail],
	    DB_VALUES(db_id(&cohort->workspace), db_id(after), db_int(cohort->limit)), error);
}

bool
store_people_scan_back(struct db *db, const struct store_people_scan *cohort, struct base_id *place,
    guint count, GError **error)
{
	const struct db_value workspace = db_id(&cohort->workspace), before = db_id(place);
	AUTO(db_rows)
	rows = cohort->segment
		   ? db_select(db, sql[FROZEN_BACK],
			 DB_VALUES(workspace, db_id(cohort->segment), before, db_int(count)), error)
		   : db_select(db, sql[BACK], DB_VALUES(workspace, before, db_int(count)), error);

	if (!rows)
		return false;
	memset(place, 0, sizeof(*place));
	store_people_scan_next_id(rows, place);
	return true;
}

static void
people_scan_read_fields(const struct db_rows *rows, struct store_people_scan_person *person)
{
	person->first_name = db_rows_text(rows, P_FIRST_NAME);
	person->last_name = db_rows_text(rows, P_LAST_NAME);
	person->language = db_rows_text(rows, P_LANGUAGE);
	person->time_zone = db_rows_text(rows, P_TIME_ZONE);
	person->created = db_rows_int(rows, P_CREATED);
}

bool
store_people_scan_next(const struct store_people_scan *cohort, struct db_rows *rows,
    struct store_people_scan_person *person_r)
{
	if (!db_rows_next(rows))
		return false;
	memset(person_r, 0, sizeof(*person_r));
	db_rows_id(rows, P_ID, &person_r->id);
	person_r->address = db_rows_text(rows, P_ADDRESS);
	person_r->is_subscribed = db_rows_int(rows, P_IS_SUBSCRIBED) != 0;
	person_r->has_agreed = db_rows_int(rows, P_AGREED) != 0;
	if (cohort->detail >= COHORT_PROPERTIES)
		person_r->properties = db_rows_text(rows, P_PROPERTIES);
	if (cohort->detail >= COHORT_EMAIL)
		person_r->email = db_rows_text(rows, P_EMAIL);
	if (cohort->detail >= COHORT_FIELDS)
		people_scan_read_fields(rows, person_r);
	return true;
}

#define FACT_VALUES 6

/* Fills in the query of a fact. values has room for FACT_VALUES. */
static struct db_query
people_scan_ask(const struct store_people_scan_fact *fact,
    const struct store_people_scan_range *range, struct db_value *values)
{
	struct db_value between[] = {
	    db_id(range->workspace), db_id(range->after), db_id(range->last)};
	gsize count = 0;

	if (fact->kind < FACT_SENT || fact->kind >= FACT_BROADCAST_SENT)
		values[count++] = db_id(&fact->target);
	else if (fact->kind < FACT_EVENT)
		values[count++] = db_int(MAX(fact->since, 1));
	memcpy(values + count, between, sizeof(between));
	count += G_N_ELEMENTS(between);
	if (fact->kind == FACT_EVENT) {
		values[count++] = db_text(fact->event);
		values[count++] = db_int(fact->since);
		values[count++] = db_int(fact->at_least);
	}
	if (fact->kind >= FACT_BROADCAST_SENT) {
		values[count++] = db_int(fact->since);
		values[count++] = db_int(fact->since);
	}
	return (struct db_query){sql[FACTS + fact->kind], values, count};
}

bool
store_people_scan_facts(struct db *db, const struct store_people_scan_range *range,
    const struct store_people_scan_fact *facts, guint count, struct db_rows **rows_r,
    GError **error)
{
	struct db_query queries[STORE_PEOPLE_SCAN_FACTS];
	struct db_value values[STORE_PEOPLE_SCAN_FACTS][FACT_VALUES];

	for (guint i = 0; i < count; i++)
		queries[i] = people_scan_ask(&facts[i], range, values[i]);
	return count == 0 || db_select_together(db, queries, count, rows_r, error);
}

struct db_rows *
store_people_scan_holders(struct db *db, const struct base_id *workspace,
    const struct store_people_scan_fact *fact, const char *after, guint limit, GError **error)
{
	const char *statement = sql[HOLDERS + fact->kind];

	if (fact->kind < FACT_SENT)
		return db_select(db, statement,
		    DB_VALUES(
			db_id(&fact->target), db_id(workspace), db_text(after), db_int(limit)),
		    error);
	return db_select(db, statement,
	    DB_VALUES(db_id(workspace), db_text(after), db_int(MAX(fact->since, 1)), db_int(limit)),
	    error);
}

bool
store_people_scan_next_id(struct db_rows *rows, struct base_id *id_r)
{
	return db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, id_r);
}

bool
store_people_scan_find(struct db *db, const struct base_id *workspace,
    struct store_people_scan_thing *thing, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[TARGETS + thing->kind], DB_VALUES(db_id(workspace), db_id(&thing->id)), error);

	if (!rows)
		return false;
	thing->found = db_rows_next(rows);
	thing->detail = thing->found ? db_rows_int(rows, DB_ROWS_ONLY) : 0;
	return true;
}

void
store_people_scan_barred_free(struct store_people_scan_barred *barred)
{
	g_hash_table_unref(barred->addresses);
	g_hash_table_unref(barred->hashes);
	g_string_chunk_free(barred->texts);
	g_free(barred);
}

#define BARRED_BATCH 20000

/* Adds a batch of addresses. *last_r is the last one, NULL when no more follow. */
static bool
people_scan_add_addresses(
    struct store_people_scan_barred *barred, struct db_rows *rows, const char **last_r)
{
	char *address = NULL;
	guint count = 0;

	for (; rows && db_rows_next(rows); count++) {
		address = g_string_chunk_insert(barred->texts, db_rows_text(rows, DB_ROWS_ONLY));
		g_hash_table_add(barred->addresses, address);
	}
	*last_r = count == BARRED_BATCH ? address : NULL;
	db_rows_free(rows);
	return rows != NULL;
}

static bool
add_suppressed(struct db *db, const struct base_id *workspace,
    struct store_people_scan_barred *barred, GError **error)
{
	for (const char *after = ""; after;) {
		struct db_rows *rows = db_select(db, sql[SUPPRESSED],
		    DB_VALUES(db_id(workspace), db_text(after), db_int(BARRED_BATCH)), error);

		if (!rows || !people_scan_add_addresses(barred, rows, &after))
			return false;
	}
	return true;
}

static bool
add_snoozed(struct db *db, const struct base_id *workspace, struct store_people_scan_barred *barred,
    GError **error)
{
	gint64 now = base_clock_now();

	for (const char *after = ""; after;) {
		struct db_rows *rows = db_select(db, sql[SNOOZED],
		    DB_VALUES(db_id(workspace), db_text(after), db_int(now), db_int(BARRED_BATCH)),
		    error);

		if (!rows || !people_scan_add_addresses(barred, rows, &after))
			return false;
	}
	return true;
}

static bool
add_erased(struct db *db, const struct base_id *workspace, struct store_people_scan_barred *barred,
    GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[ERASED], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		const void *hash = db_rows_bytes(rows, ERASED_HASH, &(gsize){0});

		g_hash_table_add(barred->hashes, g_bytes_new(hash, SHA256_SIZE));
		barred->first_erased = MIN(barred->first_erased, db_rows_int(rows, ERASED_CREATED));
	}
	return true;
}

struct store_people_scan_barred *
store_people_scan_erased_read(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(store_people_scan_barred) barred = g_new0(struct store_people_scan_barred, 1);

	barred->addresses = g_hash_table_new(g_str_hash, g_str_equal);
	barred->hashes =
	    g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
	barred->texts = g_string_chunk_new(64 * 1024);
	barred->first_erased = G_MAXINT64;
	return add_erased(db, workspace, barred, error) ? g_steal_pointer(&barred) : NULL;
}

struct store_people_scan_barred *
store_people_scan_barred_read(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(store_people_scan_barred)
	barred = store_people_scan_erased_read(db, workspace, error);

	return barred && add_suppressed(db, workspace, barred, error) &&
		       add_snoozed(db, workspace, barred, error)
		   ? g_steal_pointer(&barred)
		   : NULL;
}
