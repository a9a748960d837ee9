/* SPDX-License-Identifier: MIT */
/* Lists emails, newest first, with filters. */
#include "store/email/email.h"

#include <string.h>

#include "base/limits/list.h"
#include "db/columns.h"
#include "db/statement.h"
#include "store/common/finished.h"
#include "store/common/listing.h"
#include "store/email/key.h"
#include "store/email/recipients.h"
#include "store/email/status.h"

#define LISTED_COLUMNS(FIRST, NEXT)                                                                \
	FIRST(id, "e.id")                                                                          \
	NEXT(type, STORE_EMAIL_TYPE("e"))                                                          \
	NEXT(to, "e.to_list")                                                                      \
	NEXT(subject, "e.subject")                                                                 \
	NEXT(created, "e.created")                                                                 \
	NEXT(scheduled_at, "e.scheduled_at")                                                       \
	NEXT(sent, "e.sent")                                                                       \
	NEXT(cancelled, "e.cancelled")                                                             \
	NEXT(sender, "e.sender")                                                                   \
	NEXT(cc, "e.cc_list")                                                                      \
	NEXT(bcc, "e.bcc_list")                                                                    \
	NEXT(reply_to, "e.reply_to")                                                               \
	NEXT(topic_id, "e.topic_id", has_topic)
#define ROW DB_COLUMNS_SQL(LISTED_COLUMNS)
DB_COLUMNS_READER(list_read_columns, struct store_email, LISTED_COLUMNS)

/* One filter is a search in an index which has the order of the list: the page stops after LIMIT
   rows, without a sort. The indexes are named because the optimizer does not know how few rows that
   leaves, and reads whole tables while they are small. Times are bounds of the id, which begins
   with the time. */
#define RANGE(id) " AND " id " >= ? AND " id " < ?"
/* The types that are in the list, which are next to each other. Parts of broadcasts are in none. */
#define OF_TYPE(type) " AND " type " BETWEEN ? AND ?"
#define LISTED(id)                                                                                 \
	OF_TYPE("(SELECT " STORE_EMAIL_TYPE("k") " FROM email k WHERE k.id = " id                  \
						 " AND k.workspace_id = x.workspace_id)")
#define PAGE(table, id, condition)                                                                 \
	"SELECT " ROW " FROM (SELECT DISTINCT " id " AS id, x.workspace_id FROM " table            \
	" WHERE " condition " ORDER BY " id " DESC LIMIT ?) page"                                  \
	" STRAIGHT_JOIN email e FORCE INDEX (PRIMARY) ON e.id = page.id"                           \
	" AND e.workspace_id = page.workspace_id"

/* Several filters search with the one that finds the fewest rows, and look for the others at each
   of these; NULL is no filter. */
#define OTHERS(id, workspace)                                                                      \
	" AND (? IS NULL OR EXISTS (SELECT 1 FROM email s WHERE s.id = " id                        \
	" AND s.workspace_id = " workspace " AND s.sender_address = ?))"                           \
	" AND (? IS NULL OR EXISTS (SELECT 1 FROM email_tag t WHERE t.email_id = " id              \
	" AND t.name = ? AND (? IS NULL OR t.value = ?)))"                                         \
	" AND ((? IS NULL AND ? IS NULL) OR EXISTS (SELECT 1 FROM recipient r"                     \
	" WHERE r.email_id = " id " AND (? IS NULL OR r.address = ?)"                              \
	" AND (? IS NULL OR r.status = ?)))" PREFIX(id)
/* The beginning of a recipient's address. Values: the pattern, twice. */
#define LIKE " LIKE ? ESCAPE '|'"
#define PREFIX(id)                                                                                 \
	" AND (? IS NULL OR EXISTS (SELECT 1 FROM recipient q WHERE q.email_id = " id              \
	" AND q.address" LIKE "))"
#define SAMPLE "1000" /* rows are counted to find the filter that finds the fewest */

#define SEARCH(table, id, condition) SEARCH_WITH(table, id, condition, "")
/* more: a condition that the key does not have, so that counting by it could read many rows. */
#define SEARCH_WITH(table, id, condition, more)                                                    \
	{                                                                                          \
		PAGE(table, id, condition more RANGE(id) LISTED(id)),                              \
		    PAGE(table, id,                                                                \
			condition more RANGE(id) LISTED(id) OTHERS(id, "x.workspace_id")),         \
		    "SELECT COUNT(*) FROM (SELECT 1 FROM " table " WHERE " condition RANGE(        \
			id) " LIMIT " SAMPLE ") sample",                                           \
		    BOUND(table, id, condition)                                                    \
	}
/* The row behind so many. A list of one type, of those that were sent, or by several filters, looks
   at no more: no index finds these emails. */
#define BOUND(table, id, condition)                                                                \
	"SELECT " id " FROM " table " WHERE " condition RANGE(id) " ORDER BY " id                  \
								  " DESC LIMIT 1 OFFSET ?"
#define OF_WORKSPACE "x.workspace_id = ? AND "

/* Common statuses are found through time: of each email its recipients are looked at. Recipients of
   rare ones have rows (store/email/status.h), also of those that they had before.

   Until "schema migrate --finish" these rows may be missing, and a key has all statuses. It has a
   recipient without events among those whose email was sent, so that no entry moves when it is. */
#define OF_STATUS OF_WORKSPACE "x.status = ?"
#define IS_STILL                                                                                   \
	" AND x.status = (SELECT n.status FROM recipient n WHERE n.email_id = x.email_id"          \
	" AND n.number = x.number)"
#define LISTED_STATUS "x.listed_status = ?"
#define IS_SENT " AND x.status = " EVENT_SENT_SQL
#define EMAILS "email x " STORE_EMAIL_BY_TIME ""

enum search {
	BY_TIME,
	BY_TIME_UP,
	BY_RECENT, /* those with a common status */
	BY_SENDER,
	BY_RARE,   /* by a rare status */
	BY_STATUS, /* by the key of before, like BY_SENT and BY_BOTH */
	BY_SENT,
	BY_ADDRESS,
	BY_ADDRESS_OF, /* whose recipient has the status, too */
	BY_BOTH,
	BY_TAG,
	BY_VALUE,
	BY_PREFIX
};
static const struct {
	const char *alone, *among, *count; /* as the only filter; as one of several; its rows */
	const char *bound;		   /* the row behind so many of them */
} searches[] = {
    [BY_TIME] = {"SELECT " ROW " FROM email e " STORE_EMAIL_BY_TIME
		 " WHERE e.workspace_id = ?" RANGE("e.id")
		     OF_TYPE(STORE_EMAIL_TYPE("e")) " ORDER BY e.id DESC LIMIT ?",
	"SELECT " ROW " FROM email e " STORE_EMAIL_BY_TIME " WHERE e.workspace_id = ?" RANGE("e.id")
	    OF_TYPE(STORE_EMAIL_TYPE("e"))
		OTHERS("e.id", "e.workspace_id") " ORDER BY e.id DESC LIMIT ?",
	NULL, BOUND(EMAILS, "x.id", "x.workspace_id = ?")},
    [BY_RECENT] = {NULL, NULL, NULL, NULL}, /* commons has it */
    [BY_TIME_UP] = {"SELECT " ROW " FROM email e " STORE_EMAIL_BY_TIME
		    " WHERE e.workspace_id = ?" RANGE("e.id")
			OF_TYPE(STORE_EMAIL_TYPE("e")) " ORDER BY e.id LIMIT ?"},
    [BY_SENDER] =
	SEARCH("email x FORCE INDEX (sender)", "x.id", OF_WORKSPACE "x.sender_address = ?"),
    [BY_RARE] =
	SEARCH_WITH("recipient_status x FORCE INDEX (PRIMARY)", "x.email_id", OF_STATUS, IS_STILL),
    [BY_STATUS] =
	SEARCH("recipient x FORCE INDEX (listed)", "x.email_id", OF_WORKSPACE LISTED_STATUS),
    [BY_SENT] = SEARCH_WITH(
	"recipient x FORCE INDEX (listed)", "x.email_id", OF_WORKSPACE LISTED_STATUS, IS_SENT),
    [BY_ADDRESS] =
	SEARCH("recipient x FORCE INDEX (address)", "x.email_id", OF_WORKSPACE "x.address = ?"),
    [BY_ADDRESS_OF] = SEARCH_WITH("recipient x FORCE INDEX (address)", "x.email_id",
	OF_WORKSPACE "x.address = ?", " AND x.status = ?"),
    [BY_BOTH] = SEARCH("recipient x FORCE INDEX (address, listed)", "x.email_id",
	OF_WORKSPACE "x.address = ? AND " LISTED_STATUS " AND x.status = ?"),
    [BY_TAG] = SEARCH("email_tag x FORCE INDEX (name)", "x.email_id", OF_WORKSPACE "x.name = ?"),
    [BY_VALUE] = SEARCH(
	"email_tag x FORCE INDEX (value)", "x.email_id", OF_WORKSPACE "x.name = ? AND x.value = ?"),
    [BY_PREFIX] =
	SEARCH("recipient x FORCE INDEX (address)", "x.email_id", OF_WORKSPACE "x.address" LIKE),
};

/* Emails with a common status, beside other filters. Of parts of broadcasts no recipient is looked
   at: IF keeps the order of the conditions. */
#define COMMON(table, id, condition)                                                               \
	"SELECT " ROW " FROM " table " WHERE " condition                                           \
	RANGE(id) " AND (? IS NULL OR e.sender_address = ?) AND IF(" STORE_EMAIL_TYPE(             \
	    "e") " BETWEEN ? AND ?, (? IS NULL OR EXISTS (SELECT 1 FROM email_tag t"               \
		 " WHERE t.email_id = e.id AND t.name = ? AND (? IS NULL OR t.value = ?)))"        \
		 " AND EXISTS (SELECT 1 FROM recipient r WHERE r.email_id = e.id AND r.status = "  \
		 "?), 0)" PREFIX("e.id") " ORDER BY " id " DESC LIMIT ?"
#define WITH_EMAIL                                                                                 \
	" STRAIGHT_JOIN email e FORCE INDEX (PRIMARY) ON e.workspace_id = x.workspace_id"          \
	" AND e.id = x.email_id"
static const char *const commons[] = {
    [BY_RECENT] = COMMON("email e " STORE_EMAIL_BY_TIME, "e.id", "e.workspace_id = ?"),
    [BY_SENDER] = COMMON(
	"email e FORCE INDEX (sender)", "e.id", "e.workspace_id = ? AND e.sender_address = ?"),
    [BY_TAG] = COMMON(
	"email_tag x FORCE INDEX (name)" WITH_EMAIL, "x.email_id", OF_WORKSPACE "x.name = ?"),
    [BY_VALUE] = COMMON("email_tag x FORCE INDEX (value)" WITH_EMAIL, "x.email_id",
	OF_WORKSPACE "x.name = ? AND x.value = ?"),
    [BY_PREFIX] = NULL,
};

/* The rows that a search finds are not in the order of the list: few of them are sorted, and of
   more the list is read through. */
static const char prefix_sql[] =
    "SELECT 1 FROM recipient x FORCE INDEX (address) WHERE x.workspace_id = ? AND x.address" LIKE
	RANGE("x.email_id") " LIMIT 1 OFFSET " G_STRINGIFY(LIMIT_SEARCH_SORTED);

/* A status finds each recipient of each part of a broadcast. So its rows are searched in windows,
   of twice the rows of a page and then of more, and a window without emails is a reason to pass
   over all parts that follow. */
#define WINDOW_GROWTH 8
#define WINDOW_MOST 5000
#define WINDOW(table, id, condition)                                                               \
	"SELECT MIN(w.id), COUNT(*) FROM (SELECT " id " AS id FROM " table " WHERE " condition     \
	RANGE(id) " ORDER BY " id " DESC LIMIT ?) w"
/* Searches that are read through windows. */
static const char *const windows[] = {
    [BY_RECENT] = WINDOW(EMAILS, "x.id", "x.workspace_id = ?"),
    [BY_RARE] = WINDOW("recipient_status x FORCE INDEX (PRIMARY)", "x.email_id", OF_STATUS),
    [BY_STATUS] =
	WINDOW("recipient x FORCE INDEX (listed)", "x.email_id", OF_WORKSPACE LISTED_STATUS),
    [BY_SENT] =
	WINDOW("recipient x FORCE INDEX (listed)", "x.email_id", OF_WORKSPACE LISTED_STATUS),
    [BY_ADDRESS_OF] =
	WINDOW("recipient x FORCE INDEX (address)", "x.email_id", OF_WORKSPACE "x.address = ?"),
    [BY_PREFIX] = NULL,
};
static const char listed_sql[] =
    "SELECT e.id FROM email e " STORE_EMAIL_BY_TIME ""
    " WHERE e.workspace_id = ?" RANGE("e.id") " AND e.type <> " EMAIL_BROADCAST_SQL
					      " ORDER BY e.id DESC LIMIT 1";

/* The columns of WINDOW. */
enum { WINDOW_LOW, WINDOW_COUNT };

/* A page that is asked for. */
struct page {
	const struct base_id *workspace;
	const struct store_email_filter *filter;
	struct base_id low, high;	/* ids from low on, below high */
	enum store_email_type from, to; /* types */
	bool is_bounded; /* to LIMIT_EMAILS_LOOKED rows, where an email may not be in the list */
	bool has_rest;	 /* low became higher for that */
	bool has_rows;	 /* each recipient of a rare status has its row */
};

#define PAGE_VALUES 25

/* The values of a statement of searches, in their order. */
struct values {
	struct db_value list[PAGE_VALUES];
	guint count;
};

static void
list_add(struct values *values, struct db_value value)
{
	g_assert(values->count < PAGE_VALUES);
	values->list[values->count++] = value;
}

static struct db_value
status_value(const struct store_email_filter *filter)
{
	return filter->status == EVENT_NONE ? db_null() : db_int(filter->status);
}

static void
add_search(struct values *values, const struct page *page, enum search search)
{
	const struct store_email_filter *filter = page->filter;

	list_add(values, db_id(page->workspace));
	if (search == BY_SENDER)
		list_add(values, db_text(filter->sender));
	if (search == BY_ADDRESS || search == BY_ADDRESS_OF || search == BY_BOTH)
		list_add(values, db_text(filter->address));
	if (search == BY_RARE || search == BY_STATUS || search == BY_SENT ||
	    search == BY_ADDRESS_OF || search == BY_BOTH)
		list_add(values, status_value(filter));
	if (search == BY_BOTH)
		list_add(values, status_value(filter));
	if (search == BY_TAG || search == BY_VALUE)
		list_add(values, db_text(filter->tag));
	if (search == BY_VALUE)
		list_add(values, db_text(filter->value));
	if (search == BY_PREFIX)
		list_add(values, db_text(filter->search));
	list_add(values, db_id(&page->low));
	list_add(values, db_id(&page->high));
}

static void
add_twice(struct values *values, struct db_value value)
{
	list_add(values, value);
	list_add(values, value);
}

/* The filters that a search does not apply itself. */
static struct store_email_filter
others_of(const struct page *page, enum search search)
{
	struct store_email_filter others = *page->filter;

	if (search == BY_SENDER)
		others.sender = NULL;
	if (search == BY_VALUE || (search == BY_TAG && !others.value))
		others.tag = others.value = NULL;
	if (search == BY_RARE)
		others.status = EVENT_NONE;
	return others;
}

/* The values of OTHERS. */
static void
add_others(struct values *values, const struct store_email_filter *filter)
{
	add_twice(values, db_text(filter->sender));
	add_twice(values, db_text(filter->tag));
	add_twice(values, db_text(filter->value));
	list_add(values, db_text(filter->address));
	list_add(values, status_value(filter));
	add_twice(values, db_text(filter->address));
	add_twice(values, status_value(filter));
	add_twice(values, db_text(filter->search));
}

/* The values of COMMON behind those of the search. */
static void
add_common(struct values *values, const struct page *page, const struct store_email_filter *filter)
{
	add_twice(values, db_text(filter->sender));
	list_add(values, db_int(page->from));
	list_add(values, db_int(page->to));
	add_twice(values, db_text(filter->tag));
	add_twice(values, db_text(filter->value));
	list_add(values, status_value(filter));
	add_twice(values, db_text(filter->search));
}

/* Whether emails of a status are found through time. */
static bool
is_common(const struct page *page)
{
	const struct store_email_filter *filter = page->filter;

	return page->has_rows && !filter->address && filter->status != EVENT_NONE &&
	       filter->status <= STATUS_COMMON;
}

static enum search
search_by_status(const struct page *page)
{
	const struct store_email_filter *filter = page->filter;

	if (filter->address)
		return page->has_rows ? BY_ADDRESS_OF : BY_BOTH;
	if (page->has_rows)
		return BY_RARE;
	return filter->status == EVENT_SENT ? BY_SENT : BY_STATUS;
}

static enum search
search_by_time(const struct page *page)
{
	if (is_common(page))
		return BY_RECENT;
	return page->filter->after ? BY_TIME_UP : BY_TIME;
}

/* The searches that the filter allows, one for each of its parts. */
static guint
find_searches(const struct page *page, enum search searches_r[])
{
	const struct store_email_filter *filter = page->filter;
	guint count = 0;

	if (filter->sender)
		searches_r[count++] = BY_SENDER;
	if (filter->status != EVENT_NONE && !is_common(page))
		searches_r[count++] = search_by_status(page);
	else if (filter->address)
		searches_r[count++] = BY_ADDRESS;
	if (filter->tag)
		searches_r[count++] = filter->value ? BY_VALUE : BY_TAG;
	if (count == 0)
		searches_r[count++] = search_by_time(page);
	return count;
}

/* The search that finds the rows which are looked at: an address finds few, and both indexes
   together no fewer for sure. */
static enum search
search_for_rows(enum search search)
{
	return search == BY_BOTH || search == BY_ADDRESS_OF ? BY_ADDRESS : search;
}

#define PARTS 3

/* Puts the search that finds the fewest rows first. */
static bool
put_fewest_first(
    struct db *db, const struct page *page, enum search *found, guint count, GError **error)
{
	struct values values[PARTS] = {0};
	struct db_query queries[PARTS] = {{NULL, NULL, 0}};
	struct db_rows *rows[PARTS];
	gint64 fewest = G_MAXINT64;

	for (guint i = 0; i < count; i++) {
		enum search search = search_for_rows(found[i]);

		add_search(&values[i], page, search);
		queries[i] =
		    (struct db_query){searches[search].count, values[i].list, values[i].count};
	}
	if (!db_select_together(db, queries, count, rows, error))
		return false;
	enum search best = found[0];
	for (guint i = 0; i < count; i++) {
		gint64 number = db_rows_next(rows[i]) ? db_rows_int(rows[i], DB_ROWS_ONLY) : 0;

		if (number < fewest) {
			fewest = number;
			best = found[i];
		}
	}
	found[0] = best;
	db_rows_free_all(rows, count);
	return true;
}

/* How a page is searched. */
struct way {
	enum search search;
	bool has_others; /* other filters */
};

/* Whether a search finds few rows. */
static bool
is_prefix_rare(struct db *db, const struct page *page, bool *rare_r, GError **error)
{
	struct values values = {.count = 0};

	add_search(&values, page, BY_PREFIX);
	AUTO(db_rows) rows = db_select(db, prefix_sql, values.list, values.count, error);
	if (!rows)
		return false;
	*rare_r = !db_rows_next(rows);
	return true;
}

static bool
list_choose(struct db *db, const struct page *page, struct way *way_r, GError **error)
{
	enum search found[PARTS];
	guint count = find_searches(page, found);
	bool is_time = found[0] == BY_TIME, rare = false;
	bool has_others = count > 1 || is_common(page);

	if (count > 1 && !put_fewest_first(db, page, found, count, error))
		return false;
	*way_r = (struct way){found[0], has_others};
	if (!page->filter->search)
		return true;
	if (!is_prefix_rare(db, page, &rare, error))
		return false;
	*way_r = (struct way){rare ? BY_PREFIX : found[0], !rare || !is_time};
	return true;
}

static struct db_rows *
select_page(
    struct db *db, const struct page *page, const struct way *way, guint limit, GError **error)
{
	const struct store_email_filter others = others_of(page, way->search);
	struct values values = {.count = 0};
	const char *sql = searches[way->search].alone;

	add_search(&values, page, way->search);
	if (is_common(page) && commons[way->search]) {
		sql = commons[way->search];
		add_common(&values, page, &others);
	} else {
		list_add(&values, db_int(page->from));
		list_add(&values, db_int(page->to));
		if (way->has_others) {
			sql = searches[way->search].among;
			add_others(&values, &others);
		}
	}
	list_add(&values, db_int(limit));
	return db_select(db, sql, values.list, values.count, error);
}

static bool
list_read_rows(struct db *db, const struct page *page, const struct way *way, guint limit,
    GPtrArray *emails, GError **error)
{
	AUTO(db_rows) rows = select_page(db, page, way, limit, error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct store_email *email = store_email_new();

		g_ptr_array_add(emails, email);
		list_read_columns(rows, 0, email);
	}
	return true;
}

/* Sets the low end of a window of so many rows whose high end is known. *more_r: there are rows
   behind it. */
static bool
open_window(struct db *db, const struct page *page, enum search search, struct page *window,
    guint size, bool *more_r, GError **error)
{
	struct values values = {.count = 0};

	window->low = page->low;
	add_search(&values, window, search_for_rows(search));
	list_add(&values, db_int(size));
	AUTO(db_rows) rows = db_select(db, windows[search], values.list, values.count, error);
	if (!rows)
		return false;
	*more_r = db_rows_next(rows) && db_rows_int(rows, WINDOW_COUNT) == size;
	if (*more_r)
		db_rows_id(rows, WINDOW_LOW, &window->low);
	return true;
}

/* Moves the high end of a window down to the next email that is in lists. *more_r: there is one. */
static bool
pass_parts(
    struct db *db, const struct page *page, struct page *window, bool *more_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, listed_sql,
	    DB_VALUES(db_id(page->workspace), db_id(&page->low), db_id(&window->high)), error);
	struct base_id id;

	if (!rows)
		return false;
	*more_r = db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &id);
	if (*more_r)
		window->high = base_id_next(&id);
	return true;
}

/* The rows that a page looks at: fewer where each takes a look at an email, and these are
 * scattered.
 */
static guint
list_bound(const struct page *page, enum search search)
{
	bool is_scattered = is_common(page) && search != BY_RECENT;

	return page->filter->search || is_scattered ? LIMIT_SEARCH_EMAILS : LIMIT_EMAILS_LOOKED;
}

static bool
read_windows(struct db *db, struct page *page, const struct way *way, guint limit,
    GPtrArray *emails, GError **error)
{
	struct page window = *page;
	guint size = MIN(2 * limit, WINDOW_MOST);
	guint left = page->is_bounded ? list_bound(page, way->search) : G_MAXUINT;
	bool more = true;

	for (; more && left > 0 && emails->len < limit;
	     size = MIN(size * WINDOW_GROWTH, WINDOW_MOST)) {
		guint before = emails->len;

		size = MIN(size, left);
		left -= size;
		if (!open_window(db, page, way->search, &window, size, &more, error) ||
		    !list_read_rows(db, &window, way, limit - before, emails, error))
			return false;
		window.high = window.low;
		if (more && emails->len == before && !pass_parts(db, page, &window, &more, error))
			return false;
	}
	if (!more || left > 0)
		return true;
	struct page rest = window;
	if (!open_window(db, page, way->search, &rest, 1, &page->has_rest, error))
		return false;
	page->low = page->has_rest ? window.high : page->low;
	return true;
}

/* Moves the low end of a page up to the last of the rows that are looked at. */
static bool
list_set_bound(struct db *db, struct page *page, const struct way *way, GError **error)
{
	struct values values = {.count = 0};
	struct base_id next;

	add_search(&values, page, way->search);
	list_add(&values, db_int(list_bound(page, way->search)));
	AUTO(db_rows)
	rows = db_select(db, searches[way->search].bound, values.list, values.count, error);
	if (!rows)
		return false;
	page->has_rest = db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &next);
	if (page->has_rest)
		page->low = base_id_next(&next);
	return true;
}

static bool
list_read_emails(struct db *db, struct page *page, guint limit, GPtrArray *emails, GError **error)
{
	struct way way;

	if (!list_choose(db, page, &way, error))
		return false;
	page->is_bounded = page->is_bounded &&
			   (way.has_others || page->from == page->to || way.search == BY_SENT ||
			       way.search == BY_RARE || way.search == BY_ADDRESS_OF);
	if (windows[way.search]) {
		if (!read_windows(db, page, &way, limit, emails, error))
			return false;
	} else if ((page->is_bounded && !list_set_bound(db, page, &way, error)) ||
		   !list_read_rows(db, page, &way, limit, emails, error))
		return false;
	/* The rows come in this order, but a join does not promise it. */
	g_ptr_array_sort(emails, store_email_newest_first);
	return true;
}

/* The ids of the page: those of its times, before the last one of the page before. */
static void
set_bounds(struct page *page)
{
	const struct store_email_filter *filter = page->filter;
	struct base_id end = base_id_floor(filter->until ? *filter->until : 0);

	page->low = base_id_floor(filter->since ? *filter->since : 0);
	if (!filter->since)
		memset(&page->low, 0, sizeof(page->low));
	memset(&page->high, 0xff, sizeof(page->high));
	if (filter->after)
		page->low = base_id_next(filter->after);
	if (filter->before)
		page->high = *filter->before;
	if (filter->until && memcmp(&end, &page->high, sizeof(end)) < 0)
		page->high = end;
}

/* The server refuses to compare non-ASCII text with an ASCII column. */
static bool
is_comparable(const char *address)
{
	return !address || g_str_is_ascii(address);
}

static GPtrArray *
list_try(struct db *db, struct page *page, guint limit, GError **error)
{
	const struct store_email_filter *filter = page->filter;
	g_autoptr(GPtrArray) emails = g_ptr_array_new_with_free_func(store_email_destroy);

	set_bounds(page);
	if (!is_comparable(filter->address) || !is_comparable(filter->sender) ||
	    !is_comparable(filter->search))
		return g_steal_pointer(&emails);
	if (!list_read_emails(db, page, limit, emails, error))
		return NULL;
	for (guint i = 0; i < emails->len; i++)
		((struct store_email *)emails->pdata[i])->workspace_id = *page->workspace;
	if (emails->len > 0 && !store_email_read_recipients(db, emails, error))
		return NULL;
	return g_steal_pointer(&emails);
}

/* "schema migrate --finish" may take away the key of before behind the question whether the rows
   are whole: then the answer is another one now, for that is recorded before the key goes. */
static GPtrArray *
list_read_page(struct db *db, struct page *page, guint limit, GError **error)
{
	const struct page asked = *page;
	g_autoptr(GError) failure = NULL;
	bool has_rows;

	if (page->filter->status == EVENT_NONE)
		return list_try(db, page, limit, error);
	if (!store_finished(db, FINISHED_STATUS, &page->has_rows, error))
		return NULL;
	GPtrArray *emails = list_try(db, page, limit, &failure);
	if (!emails && !page->has_rows) {
		store_finished_forget(db);
		if (store_finished(db, FINISHED_STATUS, &has_rows, NULL) && has_rows) {
			*page = asked;
			page->has_rows = true;
			return list_try(db, page, limit, error);
		}
	}
	if (!emails)
		g_propagate_error(error, g_steal_pointer(&failure));
	return emails;
}

GPtrArray *
store_email_list(struct db *db, const struct base_id *workspace,
    const struct store_email_filter *filter, guint limit, GError **error)
{
	struct page page = {.workspace = workspace,
	    .filter = filter,
	    .from = EMAIL_TRANSACTIONAL,
	    .to = EMAIL_AUTOMATION};

	return list_read_page(db, &page, limit, error);
}

GPtrArray *
store_email_list_of(struct db *db, const struct base_id *workspace,
    const struct store_email_filter *filter, guint limit, struct store_rest *rest_r, GError **error)
{
	enum store_email_type type = filter->type;
	struct page page = {.workspace = workspace,
	    .filter = filter,
	    .from = type ? type : EMAIL_TRANSACTIONAL,
	    .to = type ? type : EMAIL_AUTOMATION,
	    .is_bounded = true};
	GPtrArray *emails = list_read_page(db, &page, limit, error);

	*rest_r = (struct store_rest){page.has_rest, page.low};
	return emails;
}
