/* SPDX-License-Identifier: MIT */
/* Reads, lists, makes and changes people. */
#include "store/person/people.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "db/connection.h"
#include "db/statement.h"
#include "store/automation/own.h"
#include "store/common/listing.h"
#include "store/common/search.h"

#define PEOPLE_COLUMNS(FIRST, NEXT)                                                                \
	FIRST(id, "id")                                                                            \
	NEXT(email, "email")                                                                       \
	NEXT(address, "address")                                                                   \
	NEXT(first_name, "first_name")                                                             \
	NEXT(last_name, "last_name")                                                               \
	NEXT(language, "language")                                                                 \
	NEXT(time_zone, "time_zone")                                                               \
	NEXT(properties, "properties")                                                             \
	NEXT(is_subscribed, "is_subscribed")                                                       \
	NEXT(is_made, "is_made")                                                                   \
	NEXT(seen, "seen")                                                                         \
	NEXT(created, "created")                                                                   \
	NEXT(updated, "updated")
#define COLUMNS DB_COLUMNS_SQL(PEOPLE_COLUMNS)

#define OF_ADDRESS "SELECT " COLUMNS " FROM person WHERE workspace_id = ? AND address = ?"
/* The key has seen in front of the ids, so a page is made of a range of each kind. Values:
   workspace, id and limit, twice, and the limit. */
#define RANGE(of, rest)                                                                            \
	"(SELECT " COLUMNS " FROM person FORCE INDEX (seen)"                                       \
	" WHERE workspace_id = ? AND seen = " of " AND id " rest " LIMIT ?)"
#define PAGE(way, order)                                                                           \
	RANGE("0", way " ? ORDER BY id" order)                                                     \
	" UNION ALL " RANGE("1", way " ? ORDER BY id" order) " ORDER BY id" order " LIMIT ?"

/* Values: a status of enum store_people_status. */
#define OF_STATUS                                                                                  \
	" AND CASE ? WHEN 1 THEN p.is_subscribed = 1 WHEN 2 THEN p.is_subscribed = 0"              \
	" ELSE TRUE END"
#define NEWEST(columns, rest)                                                                      \
	"SELECT " columns " FROM person p FORCE INDEX (cohort)"                                    \
	" WHERE p.workspace_id = ? AND p.id < ?" rest " ORDER BY p.id DESC LIMIT"

enum {
	GET,
	GET_ID,
	OF_IDS,
	LOCK,
	OLDER,
	NEWER,
	ALL,
	MEMBERS,
	INSERT,
	CHANGE,
	BOUND,
	WITH_STATUS,
	ADDRESSES
};
/* By checked ids: CHANGE. The caller has locked the person, whom it found by workspace and address.
 */
static const char *const sql[] = {
    [GET] = OF_ADDRESS,
    [GET_ID] = "SELECT " COLUMNS " FROM person WHERE workspace_id = ? AND id = ?",
    [LOCK] = OF_ADDRESS " FOR UPDATE",
    [OF_IDS] = "SELECT " COLUMNS " FROM person p FORCE INDEX (PRIMARY) WHERE workspace_id = ?"
	       " AND id IN (" DB_MARKS_64 ")" OF_STATUS " ORDER BY id",
    [BOUND] = NEWEST("p.id", "") " 1 OFFSET ?",
    [ADDRESSES] = NEWEST("p.id, p.address", "") " ?",
    [WITH_STATUS] = NEWEST("p.id", " AND p.id >= ?" OF_STATUS) " ?",
    [OLDER] = PAGE("<", " DESC"),
    [NEWER] = PAGE(">", ""),
    [ALL] = "SELECT " COLUMNS " FROM person FORCE INDEX (address)"
	    " WHERE workspace_id = ? AND address > ? ORDER BY address LIMIT ?",
    /* In the order of PEOPLE_COLUMNS. */
    [MEMBERS] =
	"SELECT COALESCE(p.id, c.id), " PERSON_EMAIL ", c.address, " PERSON_FIRST_NAME
	", " PERSON_LAST_NAME ", p.language, p.time_zone, COALESCE(p.properties, '{}'),"
	" c.is_subscribed, COALESCE(p.is_made, 0), COALESCE(p.seen, 0), c.created, c.updated"
	" FROM audience a JOIN contact c ON c.audience_id = a.id" PERSON_OF_CONTACT
	" WHERE a.workspace_id = ? AND a.id = ? AND c.address > ? ORDER BY c.address LIMIT ?",
    [INSERT] = "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	       " last_seen, last_event, event_count, entered, seen, is_made, created, updated,"
	       " first_name, last_name, language, time_zone, is_subscribed, agreed)"
	       " VALUES (?, ?, ?, ?, ?, 0, 0, '', 0, 0, 0, 1, ?, ?, ?, ?, ?, ?, ?, ?)",
    [CHANGE] = "UPDATE person SET first_name = ?, last_name = ?, language = ?, time_zone = ?,"
	       " properties = ?, updated = ? WHERE id = ?",
};

bool
store_people_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Person not found");
}

STORE_LISTING_READER(people_read_row, struct store_person, PEOPLE_COLUMNS)

static struct store_person *
people_get(struct db *db, int statement, const struct base_id *workspace, struct db_value key,
    GError **error)
{
	return store_listing_one(
	    db_select(db, sql[statement], DB_VALUES(db_id(workspace), key), error), workspace,
	    people_read_row, store_people_missing, error);
}

struct store_person *
store_people_get(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	return people_get(db, GET, workspace, db_text(address), error);
}

struct store_person *
store_people_get_id(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return people_get(db, GET_ID, workspace, db_id(id), error);
}

struct store_person *
store_people_lock(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	return people_get(db, LOCK, workspace, db_text(address), error);
}

static GPtrArray *
people_read_all(struct db_rows *rows, const struct base_id *workspace)
{
	GPtrArray *people = g_ptr_array_new_with_free_func(store_person_destroy);

	while (db_rows_next(rows))
		g_ptr_array_add(people, people_read_row(rows, workspace));
	return people;
}

static GPtrArray *
people_read_page(struct db *db, int statement, const struct base_id *workspace,
    const struct base_id *id, guint limit, GError **error)
{
	const struct db_value of = db_id(workspace), place = store_listing_before(id),
			      most = db_int(limit);
	AUTO(db_rows) rows =
	    db_select(db, sql[statement], DB_VALUES(of, place, most, of, place, most, most), error);

	return rows ? people_read_all(rows, workspace) : NULL;
}

GPtrArray *
store_people_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return people_read_page(db, OLDER, workspace, before, limit, error);
}

GPtrArray *
store_people_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	bool is_newer = page->side == STORE_PAGE_NEWER;
	GPtrArray *people = people_read_page(db, is_newer ? NEWER : OLDER, workspace,
	    page->side == STORE_PAGE_FIRST ? NULL : &page->cursor, page->limit, error);

	if (people && is_newer)
		store_listing_reverse(people);
	return people;
}

GPtrArray *
store_people_by_address(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const char *after, guint limit, GError **error)
{
	AUTO(db_rows)
	rows =
	    audience
		? db_select(db, sql[MEMBERS],
		      DB_VALUES(db_id(workspace), db_id(audience), db_text(after), db_int(limit)),
		      error)
		: db_select(db, sql[ALL],
		      DB_VALUES(db_id(workspace), db_text(after), db_int(limit)), error);

	return rows ? people_read_all(rows, workspace) : NULL;
}

GPtrArray *
store_people_among(struct db *db, const struct base_id *workspace, const struct base_id *ids,
    guint count, enum store_people_status status, GError **error)
{
	struct db_value values[1 + STORE_PEOPLE_MOST + 1] = {db_id(workspace)};

	if (count == 0)
		return g_ptr_array_new();
	for (guint i = 0; i < STORE_PEOPLE_MOST; i++)
		values[1 + i] = db_id(&ids[MIN(i, count - 1)]);
	values[1 + STORE_PEOPLE_MOST] = db_int(status);
	AUTO(db_rows) rows = db_select(db, sql[OF_IDS], values, G_N_ELEMENTS(values), error);
	return rows ? people_read_all(rows, workspace) : NULL;
}

GPtrArray *
store_people_of(struct db *db, const struct base_id *workspace, const struct base_id *ids,
    guint count, GError **error)
{
	return store_people_among(db, workspace, ids, count, PEOPLE_ANY, error);
}

/* Finds the first person that a page does not look at, if there is one. */
static bool
people_bound(struct db *db, const struct base_id *workspace, struct db_value before,
    struct store_search_page *page_r, GError **error)
{
	struct base_id next;
	AUTO(db_rows)
	rows = db_select(db, sql[BOUND],
	    DB_VALUES(db_id(workspace), before, db_int(LIMIT_SEARCH_LOOKED)), error);

	if (!rows)
		return false;
	page_r->has_rest = db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &next);
	page_r->rest = page_r->has_rest ? base_id_next(&next) : (struct base_id){{0}};
	return true;
}

bool
store_people_with(struct db *db, const struct store_search_list *list,
    enum store_people_status status, struct store_search_page *page_r, GError **error)
{
	const struct db_value below = store_listing_before(list->before);
	struct base_id id;

	page_r->ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	if (!people_bound(db, list->workspace, below, page_r, error))
		return false;
	AUTO(db_rows)
	rows = db_select(db, sql[WITH_STATUS],
	    DB_VALUES(db_id(list->workspace), below, db_id(&page_r->rest), db_int(status),
		db_int(list->limit)),
	    error);
	while (rows && db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &id))
		g_array_append_val(page_r->ids, id);
	return rows != NULL;
}

/* The columns of ADDRESSES. */
enum { A_ID, A_ADDRESS };

GPtrArray *
store_people_addresses(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[ADDRESSES],
	    DB_VALUES(db_id(workspace), store_listing_before(before), db_int(limit)), error);
	struct base_id id;

	if (!rows)
		return NULL;
	GPtrArray *people = g_ptr_array_new_with_free_func(store_person_destroy);
	while (db_rows_next(rows) && db_rows_id(rows, A_ID, &id)) {
		struct store_person *person = g_new0(struct store_person, 1);

		person->id = id;
		person->address = g_strdup(db_rows_text(rows, A_ADDRESS));
		g_ptr_array_add(people, person);
	}
	return people;
}

bool
store_people_insert(struct db *db, struct store_person *person, GError **error)
{
	struct store_person *p = person;
	GError *failure = NULL;

	p->id = base_id_new();
	p->created = p->updated = base_clock_now();
	if (db_run(db, sql[INSERT],
		DB_VALUES(db_id(&p->id), db_id(&p->workspace_id), db_text(p->email),
		    db_text(p->address), db_text(p->properties), db_int(p->created),
		    db_int(p->updated), db_text(p->first_name), db_text(p->last_name),
		    db_text(p->language), db_text(p->time_zone), db_int(p->is_subscribed),
		    db_int(p->agreed)),
		NULL, &failure))
		return true;
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT)) {
		g_propagate_error(error, failure);
		return false;
	}
	g_error_free(failure);
	return base_fail(error, PH_ERROR_CONFLICT, "Person already exists");
}

bool
store_people_change(struct db *db, struct store_person *person, GError **error)
{
	struct store_person *p = person;

	p->updated = base_clock_now();
	const char *address = p->address;
	return store_own_people_before(db, &p->workspace_id, &address, 1, error) &&
	       db_defer(db, sql[CHANGE],
		   DB_VALUES(db_text(p->first_name), db_text(p->last_name), db_text(p->language),
		       db_text(p->time_zone), db_text(p->properties), db_int(p->updated),
		       db_id(&p->id)),
		   1, error);
}
