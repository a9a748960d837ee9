/* SPDX-License-Identifier: MIT */
/* People: writes, reads and lists them. To automation a person is a contact from the first event
   on: seen. */
#include "store/person/person.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/look.h"
#include "store/automation/own.h"
#include "store/broadcast/segment.h"
#include "store/common/listing.h"
#include "store/person/activity.h"

#define PERSON_COLUMNS(FIRST, NEXT)                                                                \
	FIRST(id, "id")                                                                            \
	NEXT(email, "email")                                                                       \
	NEXT(address, "address")                                                                   \
	NEXT(first_seen, "first_seen")                                                             \
	NEXT(last_seen, "last_seen")                                                               \
	NEXT(last_event, "last_event")                                                             \
	NEXT(event_count, "event_count")                                                           \
	NEXT(created, "created")                                                                   \
	NEXT(updated, "updated")
#define COLUMNS DB_COLUMNS_SQL(PERSON_COLUMNS)
#define WHOLE_COLUMNS(FIRST, NEXT) PERSON_COLUMNS(FIRST, NEXT) NEXT(properties, "properties")
#define WHOLE DB_COLUMNS_SQL(WHOLE_COLUMNS)
#define LOCKED_COLUMNS(FIRST, NEXT)                                                                \
	WHOLE_COLUMNS(FIRST, NEXT) NEXT(entered, "entered") NEXT(seen, "seen")

/* A person of an import, and the update of one that exists. Properties that would become too large
   stay as they are. */
#define IMPORT_NEW_ROW                                                                             \
	"INSERT INTO person (id, workspace_id, email, address, properties, first_seen, last_seen," \
	" last_event, event_count, entered, seen, created, updated, first_name, last_name,"        \
	" agreed, language, time_zone, is_made) VALUES (?, ?, ?, ?, ?, 0, 0, '', 0, 0, 0, ?, ?, "  \
	"?,"                                                                                       \
	" ?, ?, ?, ?, ?)"
#define IMPORT(new_email, new_first, new_last, new_language, new_zone, new_properties)             \
	IMPORT_NEW_ROW PERSON_UPDATE(new_email, new_first,                                         \
	    new_last) ", person.language = " new_language ", person.time_zone = " new_zone         \
		      ", person.properties = " new_properties                                      \
		      ", person.is_made = GREATEST(person.is_made, VALUES(is_made))"
#define KEPT(column) "COALESCE(person." column ", VALUES(" column "))"
#define MERGED(first, second)                                                                      \
	"IF(VALUES(properties) = '{}', person.properties, IF(LENGTH(JSON_COMPACT("                 \
	"JSON_MERGE_PATCH(" first ", " second "))) > 262144, person.properties,"                   \
	" JSON_COMPACT(JSON_MERGE_PATCH(" first ", " second "))))"

#define LOCKED "SELECT " DB_COLUMNS_SQL(LOCKED_COLUMNS) " FROM person"
#define LOCKED_IDS(marks)                                                                          \
	LOCKED " FORCE INDEX (PRIMARY) WHERE workspace_id = ? AND id IN (" marks ") FOR UPDATE"
#define LOCKED_SOME(marks)                                                                         \
	LOCKED " FORCE INDEX (address) WHERE workspace_id = ? AND address IN (" marks ")"          \
	       " FOR UPDATE"
/* People next to each other, but for the last: the gap behind the last stays free for those who
   come. */
#define SPAN "workspace_id = ? AND id >= ? AND id < ?"
#define TOLD_SET                                                                                   \
	" SET first_seen = IF(seen, LEAST(first_seen, GREATEST(?, last_seen + 1)),"                \
	" GREATEST(?, last_seen + 1)), last_seen = GREATEST(?, last_seen + 1),"                    \
	" last_event = ?, event_count = event_count + 1, updated = ?, seen = 1, entered = 1"

enum {
	LOCK,
	LOCK_FEW,
	LOCK_MANY,
	LOCK_IDS,
	LOCK_MANY_IDS,
	REACHED,
	INSERT,
	SEEN,
	TOLD,
	TOLD_SPAN,
	PROPERTIES,
	REMOVE_EVENTS,
	REMOVE_ENTRIES,
	REMOVE_KEYS,
	IS_KEPT,
	IS_FORSAKEN,
	UNSEE,
	TRACE,
	REMOVE,
	FILL,
	GIVE,
	SET,
	IMPORT_FILL,
	IMPORT_GIVE,
	IMPORT_SET,
	IMPORT_NEW,
	GET,
	FIND,
	EMAIL,
	LANGUAGE,
	MERGE
};
/* By checked ids: SEEN, TOLD, PROPERTIES, UNSEE, REMOVE. The caller has locked the contact, which
   it found by workspace and address. */
static const char *const sql[] = {
    [LOCK] = LOCKED " WHERE workspace_id = ? AND address = ? FOR UPDATE",
    [LOCK_FEW] = LOCKED_SOME("?, ?, ?, ?"),
    [LOCK_MANY] = LOCKED_SOME(DB_MARKS_8 ", " DB_MARKS_8),
    [LOCK_IDS] = LOCKED_IDS(DB_MARKS_8 ", " DB_MARKS_8),
    [LOCK_MANY_IDS] = LOCKED_IDS(DB_MARKS_50 ", " DB_MARKS_50),
    [REACHED] = "SELECT id FROM person FORCE INDEX (cohort) WHERE workspace_id = ? AND id >= ?"
		" ORDER BY id LIMIT 1 OFFSET ?",
    [INSERT] = "INSERT INTO person (id, workspace_id, email, address, properties,"
	       " first_seen, last_seen, last_event, event_count, created, updated, entered,"
	       " agreed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
    [SEEN] =
	"UPDATE person SET properties = COALESCE(?, properties), seen = 1,"
	" first_seen = ?, last_seen = ?, last_event = ?, event_count = ?, updated = ?, entered = ?"
	" WHERE id = ?",
    [TOLD] = "UPDATE person" TOLD_SET " WHERE id IN (" DB_MARKS_50 ")",
    [TOLD_SPAN] = "UPDATE person FORCE INDEX (cohort)" TOLD_SET " WHERE " SPAN,
    [PROPERTIES] = "UPDATE person SET properties = ?, updated = ? WHERE id = ?",
    [REMOVE_EVENTS] = "DELETE FROM automation_event WHERE contact_id = ? AND workspace_id = ?",
    [REMOVE_ENTRIES] = "DELETE FROM workflow_entry WHERE contact_id = ? AND workspace_id = ?",
    [REMOVE_KEYS] = "DELETE FROM workflow_key WHERE contact_id = ? AND workspace_id = ?",
    [IS_KEPT] = "SELECT 1 FROM person WHERE id = ? AND workspace_id = ? AND is_made = 1"
		" UNION ALL SELECT 1 FROM person p STRAIGHT_JOIN audience a FORCE INDEX (workspace)"
		" ON a.workspace_id = p.workspace_id STRAIGHT_JOIN contact c"
		" ON c.audience_id = a.id AND c.address = p.address"
		" WHERE p.id = ? AND p.workspace_id = ? LIMIT 1",
    [IS_FORSAKEN] =
	"SELECT p.id FROM person p FORCE INDEX (address) WHERE p.workspace_id = ?"
	" AND p.address = ? AND p.seen = 0 AND p.is_made = 0 AND COALESCE(p.agreed, 0) = 0"
	" AND p.properties = '{}' AND p.language IS NULL AND p.time_zone IS NULL"
	" AND NOT EXISTS (SELECT 1 FROM audience a FORCE INDEX (workspace) STRAIGHT_JOIN contact c"
	" ON c.audience_id = a.id AND c.address = p.address WHERE a.workspace_id = p.workspace_id)"
	" FOR UPDATE",
    [UNSEE] = "UPDATE person SET seen = 0, first_seen = 0, last_seen = 0, last_event = '',"
	      " event_count = 0, entered = 0, updated = ? WHERE id = ?",
    [TRACE] = "INSERT IGNORE INTO execution_trace (workspace_id, address, contact_id)"
	      " SELECT c.workspace_id, c.address, c.id FROM person c"
	      " WHERE c.id = ? AND c.workspace_id = ?"
	      " AND EXISTS (SELECT 1 FROM execution x WHERE x.contact_id = c.id)",
    [REMOVE] = "DELETE FROM person WHERE id = ?",
    [FILL] = PERSON_INSERT PERSON_UPDATE("person.email",
	"COALESCE(person.first_name, VALUES(first_name))",
	"COALESCE(person.last_name, VALUES(last_name))"),
    [GIVE] = PERSON_GIVEN,
    [SET] = PERSON_INSERT PERSON_UPDATE("VALUES(email)", "VALUES(first_name)", "VALUES(last_name)"),
    [IMPORT_FILL] = IMPORT("person.email", KEPT("first_name"), KEPT("last_name"), KEPT("language"),
	KEPT("time_zone"), MERGED("VALUES(properties)", "person.properties")),
    [IMPORT_GIVE] = IMPORT("VALUES(email)", PERSON_GIVEN_NAME("first_name"),
	PERSON_GIVEN_NAME("last_name"), PERSON_GIVEN_NAME("language"),
	PERSON_GIVEN_NAME("time_zone"), MERGED("person.properties", "VALUES(properties)")),
    [IMPORT_SET] = IMPORT("VALUES(email)", "VALUES(first_name)", "VALUES(last_name)",
	"VALUES(language)", "VALUES(time_zone)",
	"IF(VALUES(properties) = '', person.properties, VALUES(properties))"),
    [IMPORT_NEW] = IMPORT_NEW_ROW,
    [GET] = "SELECT " WHOLE " FROM person"
	    " WHERE workspace_id = ? AND address = ? AND seen = 1",
    [FIND] = "SELECT id FROM person WHERE workspace_id = ? AND address = ?"
	     " AND seen = 1",
    [EMAIL] = "SELECT email FROM person WHERE workspace_id = ? AND id = ? UNION ALL"
	      " SELECT " PERSON_EMAIL
	      " FROM contact c JOIN audience a ON a.id = c.audience_id" PERSON_OF_CONTACT
	      " WHERE c.workspace_id = ? AND c.id = ? LIMIT 1",
    [LANGUAGE] = "SELECT language FROM person WHERE workspace_id = ? AND address = ?",
    /* RFC 7396; no value is null, so none is removed. */
    [MERGE] = "UPDATE person SET updated = ?, properties = JSON_MERGE_PATCH(properties, ?)"
	      " WHERE workspace_id = ? AND address = ? AND LENGTH(properties) + ? <= ?",
};

STORE_LISTING_READER(person_read_row, struct store_person, PERSON_COLUMNS)
STORE_LISTING_READER(person_read_whole, struct store_person, WHOLE_COLUMNS)
STORE_LISTING_READER(person_read_locked, struct store_person, LOCKED_COLUMNS)

#define TOLD_COLUMNS 5
#define TOLD_MANY 50
#define TOLD_VALUES (TOLD_COLUMNS + TOLD_MANY)
#define PROPERTIES_COLUMNS 3
#define LOCK_MANY_MOST 100 /* ids of LOCK_MANY_IDS */
#define SPAN_LEAST 32	   /* people for whom it is asked whether they are a span */

struct db_query
store_person_ask(const struct base_id *workspace, const char *const *addresses, guint count,
    struct db_value values[PERSON_LOCK_VALUES])
{
	static const struct {
		int statement;
		guint marks;
	} sizes[] = {{LOCK, 1}, {LOCK_FEW, 4}, {LOCK_MANY, PERSON_LOCK_MOST}};
	guint size = 0;

	g_assert(count > 0 && count <= PERSON_LOCK_MOST);
	while (sizes[size].marks < count)
		size++;
	values[0] = db_id(workspace);
	for (guint i = 0; i < sizes[size].marks; i++)
		values[1 + i] = db_text(addresses[MIN(i, count - 1)]);
	return (struct db_query){sql[sizes[size].statement], values, 1 + sizes[size].marks};
}

struct store_person *
store_person_read(struct db_rows *rows, const struct base_id *workspace)
{
	return db_rows_next(rows) ? person_read_locked(rows, workspace) : NULL;
}

bool
store_person_lock(struct db *db, const struct base_id *workspace, const char *address,
    struct store_person **contact_r, GError **error)
{
	struct db_value values[PERSON_LOCK_VALUES];
	struct db_query query = store_person_ask(workspace, &address, 1, values);
	AUTO(db_rows) rows = db_select(db, query.sql, query.values, query.count, error);

	*contact_r = rows ? store_person_read(rows, workspace) : NULL;
	return rows != NULL;
}

/* Reads the people of several queries. */
static GPtrArray *
person_read_together(struct db *db, const struct base_id *workspace, const struct db_query *queries,
    guint count, GError **error)
{
	g_autofree struct db_rows **rows = g_new0(struct db_rows *, count);
	struct store_person *person;

	if (!db_select_together(db, queries, count, rows, error))
		return NULL;
	GPtrArray *people = g_ptr_array_new_with_free_func(store_person_destroy);
	for (guint i = 0; i < count; i++)
		while ((person = store_person_read(rows[i], workspace)))
			g_ptr_array_add(people, person);
	db_rows_free_all(rows, count);
	return people;
}

/* A list that is not full repeats its last id. A span of a key would find them faster, but lock the
   key before the row, and those who change a person lock the row first. */
GPtrArray *
store_person_lock_ids(struct db *db, const struct base_id *workspace, const struct base_id *ids,
    guint count, GError **error)
{
	bool is_many = count > PERSON_LOCK_MOST;
	guint most = is_many ? LOCK_MANY_MOST : PERSON_LOCK_MOST;
	guint shares = (count + most - 1) / most;
	g_autofree struct db_query *queries = g_new(struct db_query, shares);
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)(1 + most) * shares);

	for (guint share = 0; share < shares; share++) {
		struct db_value *of = values + (gsize)(1 + most) * share;

		of[0] = db_id(workspace);
		for (guint i = 0; i < most; i++)
			of[1 + i] = db_id(&ids[MIN(share * most + i, count - 1)]);
		queries[share] =
		    (struct db_query){sql[is_many ? LOCK_MANY_IDS : LOCK_IDS], of, 1 + most};
	}
	return person_read_together(db, workspace, queries, shares, error);
}

GPtrArray *
store_person_lock_addresses(struct db *db, const struct base_id *workspace,
    const char *const *addresses, guint count, GError **error)
{
	guint shares = (count + PERSON_LOCK_MOST - 1) / PERSON_LOCK_MOST;
	g_autofree struct db_query *queries = g_new(struct db_query, shares);
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)PERSON_LOCK_VALUES * shares);

	for (guint share = 0; share < shares; share++) {
		guint first = share * PERSON_LOCK_MOST;

		queries[share] = store_person_ask(workspace, addresses + first,
		    MIN(PERSON_LOCK_MOST, count - first),
		    values + (gsize)PERSON_LOCK_VALUES * share);
	}
	return person_read_together(db, workspace, queries, shares, error);
}

bool
store_person_insert(struct db *db, const struct store_person *c, GError **error)
{
	const struct db_value values[] = {db_id(&c->id), db_id(&c->workspace_id), db_text(c->email),
	    db_text(c->address), db_text(c->properties), db_int(c->first_seen),
	    db_int(c->last_seen), db_text(c->last_event), db_int(c->event_count),
	    db_int(c->created), db_int(c->updated), db_int(c->entered)};

	return db_defer_row(db, sql[INSERT], values, G_N_ELEMENTS(values), error) &&
	       store_own_people_created(db, &c->workspace_id, &c->id, 1, CONSENT_BY_EVENT, error);
}

bool
store_person_seen(struct db *db, const struct store_person *c, GError **error)
{
	return db_defer(db, sql[SEEN],
	    DB_VALUES(db_text(c->properties), db_int(c->first_seen), db_int(c->last_seen),
		db_text(c->last_event), db_int(c->event_count), db_int(c->updated),
		db_int(c->entered), db_id(&c->id)),
	    1, error);
}

static int
person_compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct base_id));
}

/* Whether these people, in the order of ids, are all of the workspace from the first to the last.
   Then one span of a key finds them in half the time of their ids, and takes no lock too early:
   the rows are locked. */
static bool
person_is_span(struct db *db, const struct base_id *workspace, const struct base_id *ids,
    guint count, bool *is_span_r, GError **error)
{
	struct base_id last;

	*is_span_r = false;
	if (count < SPAN_LEAST)
		return true;
	AUTO(db_rows)
	rows = db_select(db, sql[REACHED],
	    DB_VALUES(db_id(workspace), db_id(&ids[0]), db_int(count - 1)), error);
	if (!rows)
		return false;
	*is_span_r = db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &last) &&
		     base_id_equal(&last, &ids[count - 1]);
	return true;
}

static bool
person_told_listed(struct db *db, const struct store_person_told *told, const struct base_id *ids,
    guint count, GError **error)
{
	const struct db_value time = db_int(told->time);
	guint lists = (count + TOLD_MANY - 1) / TOLD_MANY;
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)TOLD_VALUES * lists);

	for (guint list = 0; list < lists; list++) {
		struct db_value *of = values + (gsize)TOLD_VALUES * list;
		const struct db_value row[TOLD_COLUMNS] = {
		    time, time, time, db_text(told->event_name), time};

		memcpy(of, row, sizeof(row));
		for (guint i = 0; i < TOLD_MANY; i++)
			of[TOLD_COLUMNS + i] = db_id(&ids[MIN(list * TOLD_MANY + i, count - 1)]);
	}
	return lists == 0 || db_defer(db, sql[TOLD], values, TOLD_VALUES, lists, error);
}

/* Somebody who has come between them meanwhile is not told, so all of it is done again. */
static bool
person_told_span(struct db *db, const struct store_person_told *told, const struct base_id *ids,
    guint count, GError **error)
{
	const struct db_value time = db_int(told->time);
	guint64 affected;

	if (!db_run(db, sql[TOLD_SPAN],
		DB_VALUES(time, time, time, db_text(told->event_name), time, db_id(told->workspace),
		    db_id(&ids[0]), db_id(&ids[count - 1])),
		&affected, error))
		return false;
	return affected == count - 1 ? person_told_listed(db, told, &ids[count - 1], 1, error)
				     : db_transact_again(db, "people have come meanwhile", error);
}

bool
store_person_told(
    struct db *db, const struct store_person_told *told, GArray *people, GError **error)
{
	const struct base_id *ids = (const struct base_id *)(const void *)people->data;
	bool is_span;

	g_array_sort(people, person_compare_ids);
	if (!person_is_span(db, told->workspace, ids, people->len, &is_span, error))
		return false;
	return (is_span ? person_told_span : person_told_listed)(db, told, ids, people->len, error);
}

bool
store_person_properties(
    struct db *db, const struct store_person *const *contacts, guint count, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)PROPERTIES_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		struct db_value *row = values + (gsize)PROPERTIES_COLUMNS * i;

		row[0] = db_text(contacts[i]->properties);
		row[1] = db_int(contacts[i]->updated);
		row[2] = db_id(&contacts[i]->id);
	}
	return db_defer(db, sql[PROPERTIES], values, PROPERTIES_COLUMNS, count, error);
}

bool
store_person_remove(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool is_kept, GError **error)
{
	const struct db_value values[] = {db_id(id), db_id(workspace)};
	const struct db_value both[] = {values[0], values[1], values[0], values[1]};

	if (!db_run(db, sql[REMOVE_EVENTS], values, G_N_ELEMENTS(values), NULL, error) ||
	    !db_run(db, sql[REMOVE_ENTRIES], values, G_N_ELEMENTS(values), NULL, error) ||
	    !db_run(db, sql[REMOVE_KEYS], values, G_N_ELEMENTS(values), NULL, error))
		return false;
	/* A contact that is being stored at the same time puts its person after itself, and waits
	   there for this transaction. */
	AUTO(db_rows) keeping =
	    is_kept ? db_select(db, sql[IS_KEPT], both, G_N_ELEMENTS(both), error) : NULL;
	if (is_kept && !keeping)
		return false;
	if (keeping && db_rows_next(keeping))
		return db_run(
		    db, sql[UNSEE], DB_VALUES(db_int(base_clock_now()), db_id(id)), NULL, error);
	return store_segment_leave(db, workspace, id, error) &&
	       store_look_remove(db, workspace, id, error) &&
	       store_activity_remove_of(db, workspace, id, error) &&
	       db_run(db, sql[TRACE], values, G_N_ELEMENTS(values), NULL, error) &&
	       db_run(db, sql[REMOVE], DB_VALUES(db_id(id)), NULL, error);
}

bool
store_person_forsake(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	AUTO(db_rows)
	rows =
	    db_select(db, sql[IS_FORSAKEN], DB_VALUES(db_id(workspace), db_text(address)), error);
	struct base_id id;

	if (!rows)
		return false;
	return !db_rows_next(rows) || !db_rows_id(rows, DB_ROWS_ONLY, &id) ||
	       store_person_remove(db, workspace, &id, false, error);
}

void
store_person_ask_given(const struct base_id *workspace, const struct store_person_names *person,
    struct base_id *id, struct db_value values_r[PERSON_VALUES])
{
	*id = base_id_new();
	const struct db_value values[PERSON_VALUES] = {db_id(id), db_id(workspace),
	    db_text(person->email), db_text(person->address), db_int(person->time),
	    db_int(person->time), db_text(person->first_name), db_text(person->last_name),
	    db_int(person->agreed)};
	memcpy(values_r, values, sizeof(values));
}

static bool
person_before(struct db *db, const struct base_id *workspace,
    const struct store_person_names *people, guint count, GError **error)
{
	g_autofree const char **addresses = g_new(const char *, count);

	for (guint i = 0; i < count; i++)
		addresses[i] = people[i].address;
	return store_own_people_before(db, workspace, addresses, count, error);
}

/* Tells of those who are new: neighbours of one source together. */
static bool
person_tell(struct db *db, const struct base_id *workspace, const struct store_person_names *people,
    const struct base_id *ids, guint count, GError **error)
{
	for (guint i = 0, same; i < count; i += same) {
		same = 1;
		while (i + same < count && people[i].source == people[i + same].source)
			same++;
		if (!store_own_people_created(
			db, workspace, ids + i, same, people[i].source, error))
			return false;
	}
	return true;
}

bool
store_person_put(struct db *db, enum store_person_way way, const struct base_id *workspace,
    const struct store_person_names *people, guint count, GError **error)
{
	static const int statements[] = {
	    [PERSON_FILL] = FILL, [PERSON_GIVE] = GIVE, [PERSON_SET] = SET};
	g_autofree struct base_id *ids = g_new(struct base_id, count);
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)PERSON_VALUES * count);

	for (guint i = 0; i < count; i++)
		store_person_ask_given(
		    workspace, &people[i], &ids[i], values + (gsize)PERSON_VALUES * i);
	return person_before(db, workspace, people, count, error) &&
	       db_defer(db, sql[statements[way]], values, PERSON_VALUES, count, error) &&
	       person_tell(db, workspace, people, ids, count, error);
}

#define IMPORT_COLUMNS 13

bool
store_person_import(struct db *db, enum store_person_way way,
    const struct store_person_imported *imported, GError **error)
{
	const struct base_id *workspace = imported->workspace;
	const struct store_person_names *people = imported->people;
	guint count = imported->count;
	static const int statements[] = {[PERSON_FILL] = IMPORT_FILL,
	    [PERSON_GIVE] = IMPORT_GIVE,
	    [PERSON_SET] = IMPORT_SET,
	    [PERSON_NEW] = IMPORT_NEW};
	/* No text replaces the properties of a person who exists. */
	const char *none = way == PERSON_SET ? "" : "{}";
	g_autofree struct base_id *ids = g_new(struct base_id, count);
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)IMPORT_COLUMNS * count);

	for (guint i = 0; i < count; i++) {
		const struct store_person_names *p = &people[i];

		ids[i] = base_id_new();
		const struct db_value row[IMPORT_COLUMNS] = {db_id(&ids[i]), db_id(workspace),
		    db_text(p->email), db_text(p->address),
		    db_text(p->properties ? p->properties : none), db_int(p->time), db_int(p->time),
		    db_text(p->first_name), db_text(p->last_name), db_int(p->agreed),
		    db_text(p->language), db_text(p->time_zone), db_int(imported->is_made)};
		memcpy(values + (gsize)IMPORT_COLUMNS * i, row, sizeof(row));
	}
	return person_before(db, workspace, people, count, error) &&
	       db_run_rows(db, sql[statements[way]], values, IMPORT_COLUMNS, count, NULL, error) &&
	       person_tell(db, workspace, people, ids, count, error);
}

void
store_person_free(struct store_person *contact)
{
	g_free(contact->email);
	g_free(contact->address);
	g_free(contact->properties);
	g_free(contact->last_event);
	g_free(contact->first_name);
	g_free(contact->last_name);
	g_free(contact->language);
	g_free(contact->time_zone);
	g_free(contact);
}

bool
store_person_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Contact not found");
	return false;
}

struct store_person *
store_person_get(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	return store_listing_one(
	    db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_text(address)), error),
	    workspace, person_read_whole, store_person_missing, error);
}

bool
store_person_find(struct db *db, const struct base_id *workspace, const char *address,
    struct base_id *id_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[FIND], DB_VALUES(db_id(workspace), db_text(address)), error);

	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return store_person_missing(error);
	return db_rows_id(rows, DB_ROWS_ONLY, id_r);
}

STORE_LISTING(listing, person_read_row, store_person_destroy,
    "SELECT " COLUMNS " FROM person FORCE INDEX (seen) WHERE workspace_id = ? AND seen = 1", "id");

GPtrArray *
store_person_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

bool
store_person_language(struct db *db, const struct base_id *workspace, const char *address,
    char **language_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LANGUAGE], DB_VALUES(db_id(workspace), db_text(address)), error);

	*language_r =
	    rows && db_rows_next(rows) ? g_strdup(db_rows_text(rows, DB_ROWS_ONLY)) : NULL;
	return rows != NULL;
}

bool
store_person_merge(struct db *db, const struct base_id *workspace, const char *address,
    const char *properties, GError **error)
{
	return store_own_people_before(db, workspace, &address, 1, error) &&
	       db_defer(db, sql[MERGE],
		   DB_VALUES(db_int(base_clock_now()), db_text(properties), db_id(workspace),
		       db_text(address), db_int((gint64)strlen(properties)),
		       db_int(LIMIT_CONTACT_PROPERTIES_BYTES)),
		   1, error);
}

char *
store_person_email(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[EMAIL],
	    DB_VALUES(db_id(workspace), db_id(id), db_id(workspace), db_id(id)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return g_strdup(db_rows_text(rows, DB_ROWS_ONLY));
	store_person_missing(error);
	return NULL;
}
