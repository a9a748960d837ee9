/* SPDX-License-Identifier: MIT */
/* Finds people, contacts and suppressed addresses by the beginning of an address or a name. */
#include "store/common/search.h"

#include <string.h>

#include "base/limits/list.h"
#include "db/statement.h"
#include "store/common/listing.h"

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
	" OR (? AND CONCAT(p.first_name, ' ', p.last_name)" LIKE "))"
#define OF_PERSON(row)                                                                             \
	" LEFT JOIN person p FORCE INDEX (named) ON p.workspace_id = " row                         \
	".workspace_id AND p.address = " row ".address"

/* Whether there are more matches than most. The server stops behind these; a COUNT would store
   them. */
#define MORE(matches, most) "(SELECT 1 " matches " LIMIT 1 OFFSET " most ") IS NOT NULL"
#define MORE_NAMED(most) MORE(FIRST_NAMED(""), most) " OR " MORE(LAST_NAMED(""), most)

/* The newest of the matches of one kind, and of all kinds. Values: those of the matches, id, limit.
 */
#define NEWEST(id, matches)                                                                        \
	"(SELECT " id " " matches " AND " id " < ? ORDER BY " id " DESC LIMIT ?)"
#define NEWEST_OF(a, b, c)                                                                         \
	"SELECT k.id FROM (" a " UNION " b " UNION " c ") k ORDER BY k.id DESC LIMIT ?"

#define SUPPRESSED                                                                                 \
	"FROM suppression s FORCE INDEX (address) WHERE s.workspace_id = ? AND s.address" LIKE
#define TO_SUPPRESSION                                                                             \
	" STRAIGHT_JOIN suppression s FORCE INDEX (address)"                                       \
	" ON s.workspace_id = p.workspace_id AND s.address = p.address"

/* Values: 0 for any, or the state of enum store_search_status. */
#define OF_STATUS(status)                                                                          \
	" AND " status " IN (0, IF(c.pending IS NOT NULL, 3, IF(c.is_subscribed, 1, 2)))"
/* Values: both addresses. */
#define WITHIN(address) " AND " address " > ? AND " address " <= ?"
#define TO_CONTACT                                                                                 \
	" STRAIGHT_JOIN contact c FORCE INDEX (PRIMARY) ON c.audience_id = ?"                      \
	" AND c.address = p.address"
/* The first of the matches of one kind. Values: those of the matches, of WITHIN and OF_STATUS,
   limit. */
#define FIRST_OF(matches)                                                                          \
	"(SELECT c.id, c.address " matches WITHIN("c.address")                                     \
	    OF_STATUS("?") " ORDER BY c.address LIMIT ?)"

/* clang-format off */
enum { PEOPLE, SUPPRESSIONS };
/* A list whose order is that of its ids. */
static const struct {
	const char *more; /* whether there are too many matches to sort them */
	const char *sorted, *through, *bound;
	gint64 looked; /* rows, of a list that is read through */
} lists[] = {
	[PEOPLE] = {
		.more = "SELECT " MORE(BY_ADDRESS, SORTED) " OR " MORE_NAMED(SORTED),
		.sorted = NEWEST_OF(NEWEST("p.id", BY_ADDRESS), NEWEST("p.id", FIRST_NAMED("")),
			NEWEST("p.id", LAST_NAMED(""))),
		.through = "SELECT p.id FROM person p FORCE INDEX (cohort) WHERE p.workspace_id = ?"
			" AND p.id < ? AND p.id >= ?" ANY("p.address") " ORDER BY p.id DESC LIMIT ?",
		.bound = "SELECT p.id FROM person p FORCE INDEX (cohort) WHERE p.workspace_id = ?"
			" AND p.id < ? ORDER BY p.id DESC LIMIT 1 OFFSET ?",
		.looked = LIMIT_SEARCH_LOOKED,
	},
	[SUPPRESSIONS] = {
		.more = "SELECT " MORE(SUPPRESSED, JOINED) " OR " MORE_NAMED(JOINED),
		.sorted = NEWEST_OF(NEWEST("s.id", SUPPRESSED),
			NEWEST("s.id", FIRST_NAMED(TO_SUPPRESSION)),
			NEWEST("s.id", LAST_NAMED(TO_SUPPRESSION))),
		.through = "SELECT s.id FROM suppression s FORCE INDEX (newest)" OF_PERSON("s")
			" WHERE s.workspace_id = ? AND s.id < ? AND s.id >= ?" ANY("s.address")
			" ORDER BY s.id DESC LIMIT ?",
		.bound = "SELECT s.id FROM suppression s FORCE INDEX (newest)"
			" WHERE s.workspace_id = ? AND s.id < ? ORDER BY s.id DESC LIMIT 1 OFFSET ?",
		.looked = LIMIT_SEARCH_ROWS,
	},
};

/* By checked ids: CONTACTS_THROUGH, CONTACTS_BOUND, CONTACTS_BOUND_LIKE. The caller has
   found the audience in its workspace. */
enum { NAMES, CONTACTS, CONTACTS_THROUGH, CONTACTS_OF_PEOPLE, CONTACTS_BOUND, CONTACTS_BOUND_LIKE, PEOPLE_BOUND };
static const char *const sql[] = {
	[NAMES] = "SELECT " MORE_NAMED(JOINED),
	[CONTACTS] = "SELECT k.id, k.address FROM ("
		FIRST_OF("FROM contact c FORCE INDEX (PRIMARY) WHERE c.audience_id = ? AND c.address" LIKE)
		" UNION " FIRST_OF(FIRST_NAMED(TO_CONTACT)) " UNION " FIRST_OF(LAST_NAMED(TO_CONTACT))
		") k ORDER BY k.address LIMIT ?",
	[CONTACTS_THROUGH] = "SELECT c.id, c.address FROM contact c FORCE INDEX (PRIMARY)" OF_PERSON("c")
		" WHERE c.audience_id = ?" WITHIN("c.address") OF_STATUS("?") ANY("? IS NULL OR c.address")
		" ORDER BY c.address LIMIT ?",
	[CONTACTS_OF_PEOPLE] = "SELECT c.id, c.address FROM person p FORCE INDEX (named)" TO_CONTACT
		" WHERE p.workspace_id = ?" WITHIN("p.address") OF_STATUS("?") ANY("p.address")
		" ORDER BY p.address LIMIT ?",
	[CONTACTS_BOUND] = "SELECT c.address FROM contact c FORCE INDEX (PRIMARY)"
		" WHERE c.audience_id = ? AND c.address > ? ORDER BY c.address LIMIT 1 OFFSET ?",
	[CONTACTS_BOUND_LIKE] = "SELECT c.address FROM contact c FORCE INDEX (PRIMARY)"
		" WHERE c.audience_id = ? AND c.address > ? AND c.address" LIKE
		" ORDER BY c.address LIMIT 1 OFFSET ?",
	[PEOPLE_BOUND] = "SELECT p.address FROM person p FORCE INDEX (named)"
		" WHERE p.workspace_id = ? AND p.address > ? ORDER BY p.address LIMIT 1 OFFSET ?",
};
/* clang-format on */

/* The columns of CONTACTS, CONTACTS_THROUGH and CONTACTS_OF_PEOPLE. */
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

bool
store_search_fits(const struct store_search *search, const char *address)
{
	const char *pattern = search->address;

	for (; pattern && *pattern != '%'; pattern++, address++) {
		pattern += *pattern == '|';
		if (g_ascii_tolower(*address) != *pattern)
			return false;
	}
	return pattern != NULL;
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
search_add(struct values *values, struct db_value value)
{
	g_assert(values->count < VALUES);
	values->list[values->count++] = value;
}

static void
add_address(struct values *values, const struct base_id *of, const struct store_search *search)
{
	search_add(values, db_id(of));
	search_add(values, db_text(search->address));
}

static void
add_first(struct values *values, const struct base_id *workspace, const struct store_search *search)
{
	search_add(values, db_id(workspace));
	search_add(values, db_text(search->name));
	for (guint i = 0; i < STORE_SEARCH_BLANKS; i++) {
		search_add(values, db_text(search->first[i]));
		search_add(values, db_text(search->last[i]));
	}
}

static void
search_add_last(
    struct values *values, const struct base_id *workspace, const struct store_search *search)
{
	search_add(values, db_id(workspace));
	search_add(values, db_text(search->name));
}

static void
add_any(struct values *values, const struct store_search *search)
{
	const char *name = search ? search->name : NULL;

	search_add(values, db_text(search ? search->address : NULL));
	search_add(values, db_text(name));
	search_add(values, db_text(name));
	search_add(values, db_int(search && search->first[0]));
	search_add(values, db_text(name));
}

/* Whether there are more matches than a statement of MORE allows. */
static bool
read_more(
    struct db *db, const char *statement, const struct values *values, bool *more_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, statement, values->list, values->count, error);

	if (!rows)
		return false;
	*more_r = db_rows_next(rows) && db_rows_int(rows, DB_ROWS_ONLY);
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
has_more(struct db *db, const struct listed *listed, bool *more_r, GError **error)
{
	struct values values = {.count = 0};

	add_address(&values, listed->workspace, listed->search);
	add_first(&values, listed->workspace, listed->search);
	search_add_last(&values, listed->workspace, listed->search);
	return read_more(db, lists[listed->list].more, &values, more_r, error);
}

static void
add_newest(struct values *values, const struct listed *listed)
{
	search_add(values, listed->before);
	search_add(values, db_int(listed->limit));
}

static void
add_sorted(struct values *values, const struct listed *listed)
{
	add_address(values, listed->workspace, listed->search);
	add_newest(values, listed);
	add_first(values, listed->workspace, listed->search);
	add_newest(values, listed);
	search_add_last(values, listed->workspace, listed->search);
	add_newest(values, listed);
	search_add(values, db_int(listed->limit));
}

/* Finds the first row that a page does not look at, if there is one. */
static bool
find_bound(
    struct db *db, const struct listed *listed, struct store_search_page *page, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, lists[listed->list].bound,
	    DB_VALUES(db_id(listed->workspace), listed->before, db_int(lists[listed->list].looked)),
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
	search_add(values, db_id(listed->workspace));
	search_add(values, listed->before);
	search_add(values, db_id(&page->rest));
	add_any(values, listed->search);
	search_add(values, db_int(listed->limit));
}

static bool
search_list(struct db *db, guint list, const struct store_search_list *asked,
    struct store_search_page *page_r, GError **error)
{
	const struct listed listed = {list, asked->workspace, asked->search,
	    store_listing_before(asked->before), asked->limit};
	struct values values = {.count = 0};
	struct base_id id;
	bool more;

	*page_r =
	    (struct store_search_page){.ids = g_array_new(FALSE, FALSE, sizeof(struct base_id))};
	if (!has_more(db, &listed, &more, error))
		return false;
	if (!more)
		add_sorted(&values, &listed);
	else if (find_bound(db, &listed, page_r, error))
		add_through(&values, &listed, page_r);
	else
		return false;
	AUTO(db_rows)
	rows = db_select(
	    db, more ? lists[list].through : lists[list].sorted, values.list, values.count, error);
	if (!rows)
		return false;
	while (db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &id))
		g_array_append_val(page_r->ids, id);
	return true;
}

bool
store_search_people(struct db *db, const struct store_search_list *list,
    struct store_search_page *page_r, GError **error)
{
	return search_list(db, PEOPLE, list, page_r, error);
}

bool
store_search_suppressions(struct db *db, const struct store_search_list *list,
    struct store_search_page *page_r, GError **error)
{
	return search_list(db, SUPPRESSIONS, list, page_r, error);
}

/* The contacts that are searched. */
struct contacts {
	const struct base_id *workspace, *audience;
	const struct store_search *search; /* NULL: all */
	enum store_search_status status;
	const char *after;
	guint limit;
	guint statement;
};

static bool
choose_contacts(struct db *db, struct contacts *contacts, GError **error)
{
	struct values values = {.count = 0};
	bool more;

	contacts->statement = CONTACTS_THROUGH;
	if (!contacts->search)
		return true;
	add_first(&values, contacts->workspace, contacts->search);
	search_add_last(&values, contacts->workspace, contacts->search);
	if (!read_more(db, sql[NAMES], &values, &more, error))
		return false;
	if (!more)
		contacts->statement = CONTACTS;
	return true;
}

/* Reads the last of so many addresses. *bound_r is NULL where there are fewer; the caller owns it.
 */
static bool
read_bound(struct db *db, guint bound, struct values *values, gint64 looked, char **bound_r,
    GError **error)
{
	search_add(values, db_int(looked - 1));
	AUTO(db_rows) rows = db_select(db, sql[bound], values->list, values->count, error);
	if (!rows)
		return false;
	*bound_r = db_rows_next(rows) ? g_strdup(db_rows_text(rows, DB_ROWS_ONLY)) : NULL;
	return true;
}

/* Reads people instead of contacts, if that reaches further. */
static bool
bound_people(
    struct db *db, struct contacts *contacts, struct store_search_page *page, GError **error)
{
	struct values values = {.count = 0};
	g_autofree char *bound = NULL;

	search_add(&values, db_id(contacts->workspace));
	search_add(&values, db_text(contacts->after));
	if (!read_bound(db, PEOPLE_BOUND, &values, LIMIT_SEARCH_PEOPLE, &bound, error))
		return false;
	if (!bound || strcmp(bound, page->rest_address) > 0) {
		g_free(page->rest_address);
		page->rest_address = g_steal_pointer(&bound);
		contacts->statement = CONTACTS_OF_PEOPLE;
	}
	return true;
}

/* Finds the last of the contacts that a page looks at. The addresses that match are next to each
   other, so a page of any status needs no bound there. */
static bool
bound_contacts(
    struct db *db, struct contacts *contacts, struct store_search_page *page, GError **error)
{
	bool by_names = contacts->statement == CONTACTS;
	bool is_joined = contacts->search && !by_names;
	struct values values = {.count = 0};

	if (by_names && contacts->status == SEARCH_ANY)
		return true;
	search_add(&values, db_id(contacts->audience));
	search_add(&values, db_text(contacts->after));
	if (by_names)
		search_add(&values, db_text(contacts->search->address));
	if (!read_bound(db, by_names ? CONTACTS_BOUND_LIKE : CONTACTS_BOUND, &values,
		is_joined ? LIMIT_SEARCH_ROWS : LIMIT_SEARCH_LOOKED, &page->rest_address, error))
		return false;
	return !is_joined || !page->rest_address || bound_people(db, contacts, page, error);
}

static void
add_within(struct values *values, const struct contacts *contacts, const char *bound)
{
	search_add(values, db_text(contacts->after));
	search_add(values, db_text(bound ? bound : LAST_ADDRESS));
	search_add(values, db_int(contacts->status));
}

static void
add_first_of(struct values *values, const struct contacts *contacts, const char *bound)
{
	add_within(values, contacts, bound);
	search_add(values, db_int(contacts->limit));
}

static void
add_by_names(struct values *values, const struct contacts *contacts, const char *bound)
{
	add_address(values, contacts->audience, contacts->search);
	add_first_of(values, contacts, bound);
	search_add(values, db_id(contacts->audience));
	add_first(values, contacts->workspace, contacts->search);
	add_first_of(values, contacts, bound);
	search_add(values, db_id(contacts->audience));
	search_add_last(values, contacts->workspace, contacts->search);
	add_first_of(values, contacts, bound);
	search_add(values, db_int(contacts->limit));
}

static void
add_contacts_through(struct values *values, const struct contacts *contacts, const char *bound)
{
	search_add(values, db_id(contacts->audience));
	if (contacts->statement == CONTACTS_OF_PEOPLE)
		search_add(values, db_id(contacts->workspace));
	add_within(values, contacts, bound);
	if (contacts->statement == CONTACTS_THROUGH)
		search_add(values, contacts->search ? db_int(1) : db_null());
	add_any(values, contacts->search);
	search_add(values, db_int(contacts->limit));
}

bool
store_search_contacts(struct db *db, const struct store_search_contacts *asked,
    struct store_search_page *page_r, GError **error)
{
	struct contacts contacts = {asked->workspace, asked->audience, asked->search, asked->status,
	    asked->after ? asked->after : "", asked->limit, CONTACTS_THROUGH};
	struct values values = {.count = 0};
	struct base_id id;

	*page_r =
	    (struct store_search_page){.ids = g_array_new(FALSE, FALSE, sizeof(struct base_id))};
	if (!choose_contacts(db, &contacts, error) || !bound_contacts(db, &contacts, page_r, error))
		return false;
	if (contacts.statement == CONTACTS)
		add_by_names(&values, &contacts, page_r->rest_address);
	else
		add_contacts_through(&values, &contacts, page_r->rest_address);
	AUTO(db_rows)
	rows = db_select(db, sql[contacts.statement], values.list, values.count, error);
	if (!rows)
		return false;
	while (db_rows_next(rows) && db_rows_id(rows, CONTACT_ID, &id))
		g_array_append_val(page_r->ids, id);
	return true;
}
