/* SPDX-License-Identifier: MIT */
/* Finds people, contacts and suppressed addresses by the beginning of an address or a name. */
#include "store/search.h"

#include <string.h>

#include "base/limits.h"
#include "db/statement.h"
#include "store/listing.h"

#define LIKE " LIKE ? ESCAPE '|'"
#define SORTED G_STRINGIFY(LIMIT_SEARCH_SORTED)
#define JOINED G_STRINGIFY(LIMIT_SEARCH_JOINED)

/* The people p with an address, or with names. Values: workspace and add_address, add_first or
   add_last. */
#define BY_ADDRESS "FROM person p FORCE INDEX (address) WHERE p.workspace_id = ? AND p.address" LIKE
#define BOTH " OR (p.first_name = ? AND p.last_name" LIKE ")"
#define FIRST_NAMED(join)                                                                          \
	"FROM person p FORCE INDEX (first_name)" join                                              \
	" WHERE p.workspace_id = ? AND (p.first_name" LIKE BOTH BOTH BOTH BOTH ")"
#define LAST_NAMED(join)                                                                           \
	"FROM person p FORCE INDEX (last_name)" join                                               \
	" WHERE p.workspace_id = ? AND p.last_name" LIKE
/* Whether a person p and an address match. Values: those of add_any. */
#define ANY(address)                                                                               \
	" AND (" address LIKE " OR p.first_name" LIKE " OR p.last_name" LIKE                       \
	" OR CONCAT(p.first_name, ' ', p.last_name)" LIKE ")"
#define OF_PERSON(row)                                                                             \
	" LEFT JOIN person p ON p.workspace_id = " row ".workspace_id AND p.address = " row        \
	".address"

#define COUNT(address, most)                                                                       \
	"SELECT COUNT(*) FROM ((SELECT 1 " address " LIMIT " most                                  \
	") UNION ALL (SELECT 1 " FIRST_NAMED(                                                      \
	    "") " LIMIT " most ") UNION ALL (SELECT 1 " LAST_NAMED("") " LIMIT " most ")) k"

#define SUPPRESSED                                                                                 \
	"FROM suppression s FORCE INDEX (address) WHERE s.workspace_id = ? AND s.address" LIKE
#define TO_SUPPRESSION                                                                             \
	" STRAIGHT_JOIN suppression s FORCE INDEX (address)"                                       \
	" ON s.workspace_id = p.workspace_id AND s.address = p.address"

/* Values: 0 for any, or the state of enum store_search_status. */
#define OF_STATUS(status)                                                                          \
	" AND " status " IN (0, IF(c.pending IS NOT NULL, 3, IF(c.is_subscribed, 1, 2)))"
/* Values: both addresses. */
#define WITHIN " AND c.address > ? AND c.address <= ?"
#define TO_CONTACT                                                                                 \
	" STRAIGHT_JOIN contact c FORCE INDEX (PRIMARY) ON c.audience_id = ?"                      \
	" AND c.address = p.address"

enum { PEOPLE, SUPPRESSIONS };
enum { NAMES, CONTACTS, CONTACTS_THROUGH, CONTACTS_BOUND, CONTACTS_BOUND_LIKE };
/* A list whose order is that of its ids. */
static const struct {
	const char *count; /* the matches */
	gint64 most;	   /* of them, to be sorted */
	const char *sorted, *through, *bound;
} lists[] = {
    [PEOPLE] =
	{
	    .count = COUNT(BY_ADDRESS, SORTED),
	    .most = LIMIT_SEARCH_SORTED,
	    .sorted = "SELECT k.id FROM ((SELECT p.id " BY_ADDRESS " AND p.id < ?)"
		      " UNION (SELECT p.id " FIRST_NAMED("") " AND p.id < ?)"
							     " UNION (SELECT p.id " LAST_NAMED(
								 "") " AND p.id < ?)) k"
								     " ORDER BY k.id DESC LIMIT ?",
	    .through = "SELECT p.id FROM person p FORCE INDEX (cohort) WHERE p.workspace_id = ?"
		       " AND p.id < ? AND p.id >= ?" ANY("p.address") " ORDER BY p.id DESC LIMIT ?",
	    .bound = "SELECT p.id FROM person p FORCE INDEX (cohort) WHERE p.workspace_id = ?"
		     " AND p.id < ? ORDER BY p.id DESC LIMIT 1 OFFSET ?",
	},
    [SUPPRESSIONS] =
	{
	    .count = COUNT(SUPPRESSED, JOINED),
	    .most = LIMIT_SEARCH_JOINED,
	    .sorted = "SELECT k.id FROM ((SELECT s.id " SUPPRESSED " AND s.id < ?)"
		      " UNION (SELECT s.id " FIRST_NAMED(
			  TO_SUPPRESSION) " AND s.id < ?)"
					  " UNION (SELECT s.id " LAST_NAMED(
					      TO_SUPPRESSION) " AND s.id < ?)) k"
							      " ORDER BY k.id DESC LIMIT ?",
	    .through = "SELECT s.id FROM suppression s FORCE INDEX (newest)" OF_PERSON(
		"s") " WHERE s.workspace_id = ? AND s.id < ? AND s.id >= ?" ANY("s.address") " ORDE"
											     "R BY "
											     "s.id "
											     "DESC "
											     "LIMIT"
											     " ?",
	    .bound = "SELECT s.id FROM suppression s FORCE INDEX (newest)"
		     " WHERE s.workspace_id = ? AND s.id < ? ORDER BY s.id DESC LIMIT 1 OFFSET ?",
	},
};
/* By checked ids: CONTACTS_THROUGH, CONTACTS_BOUND, CONTACTS_BOUND_LIKE. The caller has
   found the audience in its workspace. */
static const char *const sql[] = {
    [NAMES] = "SELECT COUNT(*) FROM ((SELECT 1 " FIRST_NAMED(
	"") " LIMIT " JOINED ") UNION ALL (SELECT 1 " LAST_NAMED("") " LIMIT " JOINED ")) k",
    [CONTACTS] =
	"SELECT k.id, k.address FROM ((SELECT c.id, c.address FROM contact c"
	" FORCE INDEX (PRIMARY) WHERE c.audience_id = ? AND c.address" LIKE WITHIN OF_STATUS(
	    "?") " ORDER BY c.address LIMIT ?)"
		 " UNION (SELECT c.id, c.address " FIRST_NAMED(TO_CONTACT) WITHIN OF_STATUS(
		     "?") ")"
			  " UNION (SELECT c.id, c.address " LAST_NAMED(TO_CONTACT)
			      WITHIN OF_STATUS("?") "))"
						    " k ORDER BY k.address LIMIT ?",
    [CONTACTS_THROUGH] = "SELECT c.id, c.address FROM contact c FORCE INDEX (PRIMARY)" OF_PERSON(
	"c") " WHERE c.audience_id = ?" WITHIN OF_STATUS("?")
	ANY("? IS NULL OR c.address") " ORDER BY c.address LIMIT ?",
    [CONTACTS_BOUND] = "SELECT c.address FROM contact c FORCE INDEX (PRIMARY)"
		       " WHERE c.audience_id = ? AND c.address > ?"
		       " ORDER BY c.address LIMIT 1 OFFSET ?",
    [CONTACTS_BOUND_LIKE] = "SELECT c.address FROM contact c FORCE INDEX (PRIMARY)"
			    " WHERE c.audience_id = ? AND c.address > ? AND c.address" LIKE
			    " ORDER BY c.address LIMIT 1 OFFSET ?",
};

/* The columns of CONTACTS and CONTACTS_THROUGH. */
enum { CONTACT_ID, CONTACT_ADDRESS };

/* Behind every address. */
#define LAST_ADDRESS "\x7f"

/* The pattern of all that begins with the text. The caller owns it. */
static char *
make_pattern(const char *text)
{
	GString *pattern = g_string_new(NULL);

	for (; *text; text++) {
		if (strchr("%_|", *text))
			g_string_append_c(pattern, '|');
		g_string_append_c(pattern, *text);
	}
	g_string_append_c(pattern, '%');
	return g_string_free(pattern, FALSE);
}

void
store_search_begin(struct store_search *search, const char *text, const char *normal)
{
	g_autofree char *lower = g_ascii_strdown(normal ? normal : text, -1);
	const char *blank = text;

	*search = (struct store_search){.name = make_pattern(text)};
	/* An unescaped plus of a query was decoded as a blank. */
	if (strchr(lower, '@'))
		g_strdelimit(lower, " ", '+');
	/* An address is stored in ASCII. */
	if (g_str_is_ascii(lower))
		search->address = make_pattern(lower);
	for (guint i = 0; i < STORE_SEARCH_BLANKS && (blank = strchr(blank, ' ')); i++, blank++) {
		search->first[i] = g_strndup(text, (gsize)(blank - text));
		search->last[i] = make_pattern(blank + 1);
	}
}

void
store_search_clear(struct store_search *search)
{
	g_free(search->address);
	g_free(search->name);
	for (guint i = 0; i < STORE_SEARCH_BLANKS; i++) {
		g_free(search->first[i]);
		g_free(search->last[i]);
	}
}

void
store_search_page_clear(struct store_search_page *page)
{
	g_clear_pointer(&page->ids, g_array_unref);
	g_clear_pointer(&page->rest_address, g_free);
}

#define VALUES 64

/* The values of a statement, in their order. */
struct values {
	struct db_value list[VALUES];
	guint count;
};

static void
add(struct values *values, struct db_value value)
{
	g_assert(values->count < VALUES);
	values->list[values->count++] = value;
}

static void
add_address(struct values *values, const struct base_id *of, const struct store_search *search)
{
	add(values, db_id(of));
	add(values, db_text(search->address));
}

static void
add_first(struct values *values, const struct base_id *workspace, const struct store_search *search)
{
	add(values, db_id(workspace));
	add(values, db_text(search->name));
	for (guint i = 0; i < STORE_SEARCH_BLANKS; i++) {
		add(values, db_text(search->first[i]));
		add(values, db_text(search->last[i]));
	}
}

static void
add_last(struct values *values, const struct base_id *workspace, const struct store_search *search)
{
	add(values, db_id(workspace));
	add(values, db_text(search->name));
}

static void
add_any(struct values *values, const struct store_search *search)
{
	add(values, db_text(search ? search->address : NULL));
	for (guint i = 0; i < 3; i++)
		add(values, db_text(search ? search->name : NULL));
}

static bool
read_count(struct db *db, const char *statement, const struct values *values, gint64 *count_r,
    GError **error)
{
	AUTO(db_rows) rows = db_select(db, statement, values->list, values->count, error);

	if (!rows)
		return false;
	*count_r = db_rows_next(rows) ? db_rows_int(rows, DB_ROWS_ONLY) : 0;
	return true;
}

/* A list by ids that is searched. */
struct listed {
	guint list;
	const struct base_id *workspace;
	const struct store_search *search;
	struct db_value before;
	guint limit;
};

static bool
count_matches(struct db *db, const struct listed *listed, gint64 *count_r, GError **error)
{
	struct values values = {.count = 0};

	add_address(&values, listed->workspace, listed->search);
	add_first(&values, listed->workspace, listed->search);
	add_last(&values, listed->workspace, listed->search);
	return read_count(db, lists[listed->list].count, &values, count_r, error);
}

static void
add_sorted(struct values *values, const struct listed *listed)
{
	add_address(values, listed->workspace, listed->search);
	add(values, listed->before);
	add_first(values, listed->workspace, listed->search);
	add(values, listed->before);
	add_last(values, listed->workspace, listed->search);
	add(values, listed->before);
	add(values, db_int(listed->limit));
}

/* Finds the first row that a page does not look at, if there is one. */
static bool
find_bound(
    struct db *db, const struct listed *listed, struct store_search_page *page, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, lists[listed->list].bound,
	    DB_VALUES(db_id(listed->workspace), listed->before, db_int(LIMIT_SEARCH_LOOKED)),
	    error);
	struct base_id next;

	if (!rows)
		return false;
	page->has_rest = db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &next);
	if (page->has_rest)
		page->rest = base_id_next(&next);
	return true;
}

static void
add_through(
    struct values *values, const struct listed *listed, const struct store_search_page *page)
{
	add(values, db_id(listed->workspace));
	add(values, listed->before);
	add(values, db_id(&page->rest));
	add_any(values, listed->search);
	add(values, db_int(listed->limit));
}

static bool
search_list(
    struct db *db, const struct listed *listed, struct store_search_page *page_r, GError **error)
{
	struct values values = {.count = 0};
	struct base_id id;
	gint64 count;

	*page_r =
	    (struct store_search_page){.ids = g_array_new(FALSE, FALSE, sizeof(struct base_id))};
	if (!count_matches(db, listed, &count, error))
		return false;
	bool is_sorted = count < lists[listed->list].most;
	if (is_sorted)
		add_sorted(&values, listed);
	else if (find_bound(db, listed, page_r, error))
		add_through(&values, listed, page_r);
	else
		return false;
	AUTO(db_rows)
	rows = db_select(db, is_sorted ? lists[listed->list].sorted : lists[listed->list].through,
	    values.list, values.count, error);
	if (!rows)
		return false;
	while (db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &id))
		g_array_append_val(page_r->ids, id);
	return true;
}

bool
store_search_people(struct db *db, const struct base_id *workspace,
    const struct store_search *search, const struct base_id *before, guint limit,
    struct store_search_page *page_r, GError **error)
{
	const struct listed listed = {
	    PEOPLE, workspace, search, store_listing_before(before), limit};

	return search_list(db, &listed, page_r, error);
}

bool
store_search_suppressions(struct db *db, const struct base_id *workspace,
    const struct store_search *search, const struct base_id *before, guint limit,
    struct store_search_page *page_r, GError **error)
{
	const struct listed listed = {
	    SUPPRESSIONS, workspace, search, store_listing_before(before), limit};

	return search_list(db, &listed, page_r, error);
}

/* The contacts that are searched. */
struct contacts {
	const struct base_id *workspace, *audience;
	const struct store_search *search; /* NULL: all */
	enum store_search_status status;
	const char *after;
	guint limit;
	bool by_names; /* few people have the names: they are found by these */
};

static bool
choose_contacts(struct db *db, struct contacts *contacts, GError **error)
{
	struct values values = {.count = 0};
	gint64 count = 0;

	if (!contacts->search)
		return true;
	add_first(&values, contacts->workspace, contacts->search);
	add_last(&values, contacts->workspace, contacts->search);
	if (!read_count(db, sql[NAMES], &values, &count, error))
		return false;
	contacts->by_names = count < LIMIT_SEARCH_JOINED;
	return true;
}

/* Finds the last of the contacts that a page looks at. The addresses that match are next to each
   other, so a page of any status needs no bound there. */
static bool
bound_contacts(
    struct db *db, const struct contacts *contacts, struct store_search_page *page, GError **error)
{
	struct values values = {.count = 0};

	if (contacts->by_names && contacts->status == SEARCH_ANY)
		return true;
	add(&values, db_id(contacts->audience));
	add(&values, db_text(contacts->after));
	if (contacts->by_names)
		add(&values, db_text(contacts->search->address));
	add(&values, db_int(LIMIT_SEARCH_LOOKED - 1));
	AUTO(db_rows)
	rows = db_select(db, sql[contacts->by_names ? CONTACTS_BOUND_LIKE : CONTACTS_BOUND],
	    values.list, values.count, error);
	if (!rows)
		return false;
	if (db_rows_next(rows))
		page->rest_address = g_strdup(db_rows_text(rows, DB_ROWS_ONLY));
	return true;
}

static void
add_within(struct values *values, const struct contacts *contacts, const char *bound)
{
	add(values, db_text(contacts->after));
	add(values, db_text(bound ? bound : LAST_ADDRESS));
	add(values, db_int(contacts->status));
}

static void
add_by_names(struct values *values, const struct contacts *contacts, const char *bound)
{
	add_address(values, contacts->audience, contacts->search);
	add_within(values, contacts, bound);
	add(values, db_int(contacts->limit));
	add(values, db_id(contacts->audience));
	add_first(values, contacts->workspace, contacts->search);
	add_within(values, contacts, bound);
	add(values, db_id(contacts->audience));
	add_last(values, contacts->workspace, contacts->search);
	add_within(values, contacts, bound);
	add(values, db_int(contacts->limit));
}

static void
add_contacts_through(struct values *values, const struct contacts *contacts, const char *bound)
{
	add(values, db_id(contacts->audience));
	add_within(values, contacts, bound);
	add(values, contacts->search ? db_int(1) : db_null());
	add_any(values, contacts->search);
	add(values, db_int(contacts->limit));
}

bool
store_search_contacts(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct store_search *search,
    enum store_search_status status, const char *after, guint limit,
    struct store_search_page *page_r, GError **error)
{
	struct contacts contacts = {
	    workspace, audience, search, status, after ? after : "", limit, false};
	struct values values = {.count = 0};
	struct base_id id;

	*page_r =
	    (struct store_search_page){.ids = g_array_new(FALSE, FALSE, sizeof(struct base_id))};
	if (!choose_contacts(db, &contacts, error) || !bound_contacts(db, &contacts, page_r, error))
		return false;
	if (contacts.by_names)
		add_by_names(&values, &contacts, page_r->rest_address);
	else
		add_contacts_through(&values, &contacts, page_r->rest_address);
	AUTO(db_rows)
	rows = db_select(db, sql[contacts.by_names ? CONTACTS : CONTACTS_THROUGH], values.list,
	    values.count, error);
	if (!rows)
		return false;
	while (db_rows_next(rows) && db_rows_id(rows, CONTACT_ID, &id))
		g_array_append_val(page_r->ids, id);
	return true;
}
