/* SPDX-License-Identifier: MIT */
/* Sending domains: reads, lists and changes them. */
#include "store/domain/domain.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/prefetch.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"
#include "store/consent/suppression_join.h"
#include "store/domain/key.h"
#include "store/received/route.h"

#define DOMAIN_COLUMNS(FIRST, NEXT)                                                                \
	FIRST(id, "d.id")                                                                          \
	NEXT(workspace_id, "d.workspace_id")                                                       \
	NEXT(name, "d.name")                                                                       \
	NEXT(status, "d.status")                                                                   \
	NEXT(trusted, "d.trusted")                                                                 \
	NEXT(open_tracking, "d.open_tracking")                                                     \
	NEXT(click_tracking, "d.click_tracking")                                                   \
	NEXT(receiving, "d.receiving")                                                             \
	NEXT(reply_tracking, "d.reply_tracking")                                                   \
	NEXT(warmed_up_at, "d.warmed_up_at")                                                       \
	NEXT(created, "d.created")                                                                 \
	NEXT(return_path, "d.return_path")                                                         \
	NEXT(tls_enforced, "d.tls_enforced")                                                       \
	NEXT(tracking_host, "d.tracking_host")                                                     \
	NEXT(tracking_used, "d.tracking_used")                                                     \
	NEXT(relays[STREAM_TRANSACTIONAL], STORE_STREAM_ROUTE_OF("transactional"))                 \
	NEXT(relays[STREAM_AUTOMATION], STORE_STREAM_ROUTE_OF("automation"))                       \
	NEXT(relays[STREAM_BROADCAST], STORE_STREAM_ROUTE_OF("broadcast"))                         \
	NEXT(stream_limits, "w.stream_limits")
#define COLUMNS DB_COLUMNS_SQL(DOMAIN_COLUMNS)
/* The domain has its own route, or that of its workspace. */
#define ROUTE " LEFT JOIN workspace w ON w.id = d.workspace_id"
#define TABLES " FROM domain d" ROUTE

/* Whether the only recipient of a mailing gets no mail, 1, or none until a time, epoch ms. Values
   behind those of the suppression: workspace, address, time of now. */
#define SUPPRESSED_OR_SNOOZED "IF(" STORE_SUPPRESSION_JOINED ", 1, COALESCE(z.until, 0))"
#define SNOOZE_JOIN " LEFT JOIN snooze z ON z.workspace_id = ? AND z.address = ? AND z.until > ?"
/* suppressed: whether a recipient gets no mail, with what it joins. What stands in a join costs the
   server less than a SELECT of its own: it reads one row, or none, by a unique key. */
#define SENDER_WITH(suppressed, joins)                                                             \
	"SELECT " COLUMNS ", " suppressed ", w.sending, " QUOTA_COLUMNS TABLES joins QUOTA_JOINS(  \
	    "d.workspace_id") " WHERE d.workspace_id = ? AND d.name = ?"

/* All that store_domain_get reads, but the keys, for statements that join domain_check c. */
#define DOMAIN_WHOLE_COLUMNS(FIRST, NEXT)                                                          \
	DOMAIN_COLUMNS(FIRST, NEXT)                                                                \
	NEXT(check.series, "c.series")                                                             \
	NEXT(check.next_check, "c.next_check")                                                     \
	NEXT(check.last_checked, "c.last_checked")                                                 \
	NEXT(check.last_success, "c.last_success")                                                 \
	NEXT(check.failing_since, "c.failing_since")                                               \
	NEXT(check.error, "c.error")                                                               \
	NEXT(check.findings, "c.findings")                                                         \
	NEXT(check.soa_primary, "c.soa_primary")                                                   \
	NEXT(check.soa_admin, "c.soa_admin")                                                       \
	NEXT(check.soa_serial, "c.soa_serial")                                                     \
	NEXT(check.tracking_checked, "c.tracking_checked")                                         \
	NEXT(check.tracking_found, "c.tracking_found")                                             \
	NEXT(check.tracking_error, "c.tracking_error")                                             \
	NEXT(region, "d.region")                                                                   \
	CREATOR_COLUMNS(NEXT, NEXT, creator.)
#define WHOLE_COLUMNS DB_COLUMNS_SQL(DOMAIN_WHOLE_COLUMNS)
#define DOMAIN_PAGE_COLUMNS(FIRST, NEXT) DOMAIN_COLUMNS(FIRST, NEXT) NEXT(region, "d.region")
#define PAGE_COLUMNS DB_COLUMNS_SQL(DOMAIN_PAGE_COLUMNS)
#define WHOLE_JOINS                                                                                \
	ROUTE                                                                                      \
	" LEFT JOIN domain_check c ON c.domain_id = d.id LEFT JOIN user u ON u.id = d.user_id"

/* Repeats the domain for each key, and does not sort them: that would take a temporary table for
   the texts. */
#define WITH_KEYS                                                                                  \
	"SELECT " WHOLE_COLUMNS ", " STORE_DOMAIN_KEY_COLUMNS                                      \
	" FROM domain d FORCE INDEX (PRIMARY)" WHOLE_JOINS                                         \
	" LEFT JOIN domain_key k ON k.domain_id = d.id"
#define THE_DOMAIN "d.id = ? AND d.workspace_id = ?"
static const char get_sql[] = WITH_KEYS " WHERE " THE_DOMAIN;
const struct db_prefetch_form store_domain_ahead = {
    get_sql, DB_PREFETCH_MANY(WITH_KEYS, THE_DOMAIN, ""), 2, 0};

enum { CHANGE, FIND, SENDER, SENDER_TO, SENDER_TO_SOME, SENDER_MAILING, GET, LIST, VERIFIED };
/* System-wide: VERIFIED. The service itself sends from a domain of any workspace. */
static const char *const sql[] = {
    [CHANGE] = "UPDATE domain SET open_tracking = COALESCE(?, open_tracking),"
	       " click_tracking = COALESCE(?, click_tracking), region = COALESCE(?, region),"
	       " receiving = COALESCE(?, receiving),"
	       " reply_tracking = COALESCE(?, reply_tracking)"
	       " WHERE id = ? AND workspace_id = ?",
    [FIND] = "SELECT " COLUMNS TABLES " WHERE d.workspace_id = ? AND d.name = ?",
    [SENDER] = SENDER_WITH("NULL", ""),
    [SENDER_TO] = SENDER_WITH(STORE_SUPPRESSION_JOINED, STORE_SUPPRESSION_JOINS),
    [SENDER_TO_SOME] = SENDER_WITH(STORE_SUPPRESSION_SOME, ""),
    [SENDER_MAILING] = SENDER_WITH(SUPPRESSED_OR_SNOOZED, STORE_SUPPRESSION_JOINS SNOOZE_JOIN),
    [GET] = get_sql,
    [LIST] = "SELECT " WHOLE_COLUMNS " FROM domain d" WHOLE_JOINS
	     " WHERE d.workspace_id = ? AND d.id < ? ORDER BY d.id DESC LIMIT ?",
    [VERIFIED] = "SELECT " COLUMNS TABLES " WHERE d.name = ? AND (d.trusted = 1 OR d.status IN"
		 " (?, ?)) ORDER BY d.id LIMIT 1",
};

/* The statements that set a route: of a domain and of a workspace, by enum store_stream. */
#define SET_RELAYS(column)                                                                         \
	{                                                                                          \
		"UPDATE domain SET " column " = ? WHERE workspace_id = ? AND id = ?",              \
		    "UPDATE workspace SET " column " = ? WHERE id = ?"                             \
	}
static const struct {
	const char *of_domain, *of_workspace;
} relays_sql[] = {
    SET_RELAYS("relays"),
    [STREAM_TRANSACTIONAL] = SET_RELAYS("relays_transactional"),
    [STREAM_AUTOMATION] = SET_RELAYS("relays_automation"),
    [STREAM_BROADCAST] = SET_RELAYS("relays_broadcast"),
};

/* The column of WITH_KEYS behind WHOLE_COLUMNS. */
enum { D_KEY = DB_COLUMNS_END(DOMAIN_WHOLE_COLUMNS) };

/* The columns of SENDER_WITH, behind COLUMNS. */
enum { SENDER_SUPPRESSED = DB_COLUMNS_END(DOMAIN_COLUMNS), SENDER_RULED, SENDER_QUOTA };

const char *
store_domain_status_name(enum store_domain_status status)
{
	static const char *const names[] = {
	    [DOMAIN_NOT_STARTED] = "NOT_STARTED",
	    [DOMAIN_PENDING] = "PENDING",
	    [DOMAIN_SUCCESS] = "SUCCESS",
	    [DOMAIN_FAILED] = "FAILED",
	    [DOMAIN_TEMPORARY_FAILURE] = "TEMPORARY_FAILURE",
	};

	return names[status];
}

const char *
store_domain_error_name(enum store_domain_error error)
{
	static const char *const names[] = {
	    [DOMAIN_ERROR_NONE] = NULL,
	    [DOMAIN_DNS_SERVER_ERROR] = "DNS_SERVER_ERROR",
	    [DOMAIN_HOST_NOT_FOUND] = "HOST_NOT_FOUND",
	    [DOMAIN_TYPE_NOT_FOUND] = "TYPE_NOT_FOUND",
	    [DOMAIN_INVALID_VALUE] = "INVALID_VALUE",
	};

	return names[error];
}

static void
clear_check(struct store_domain_check *check)
{
	g_clear_pointer(&check->findings, g_free);
	g_clear_pointer(&check->soa_primary, g_free);
	g_clear_pointer(&check->soa_admin, g_free);
	g_clear_pointer(&check->tracking_error, g_free);
}

void
store_domain_free(struct store_domain *domain)
{
	for (guint i = 0; i < G_N_ELEMENTS(domain->relays); i++)
		g_free(domain->relays[i]);
	g_free(domain->name);
	g_free(domain->region);
	g_free(domain->return_path);
	g_free(domain->tracking_host);
	store_creator_clear(&domain->creator);
	clear_check(&domain->check);
	g_clear_pointer(&domain->keys, g_ptr_array_unref);
	g_free(domain);
}

bool
store_domain_verified(const struct store_domain *domain)
{
	return domain->trusted || domain->status == DOMAIN_SUCCESS ||
	       domain->status == DOMAIN_TEMPORARY_FAILURE;
}

/* Sets NOT_FOUND "Domain not found" and returns false. */
static bool
domain_fail_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Domain not found");
	return false;
}

struct domain_changing {
	const struct base_id *workspace, *id;
	const struct store_domain_change *change;
};

static struct db_value
domain_switch(const bool *given)
{
	return given ? db_int(*given) : db_null();
}

static bool
domain_change_row(struct db *db, void *context, GError **error)
{
	const struct domain_changing *changing = context;
	const struct store_domain_change *change = changing->change;
	guint64 affected;

	if (!db_run(db, sql[CHANGE],
		DB_VALUES(domain_switch(change->opens), domain_switch(change->clicks),
		    db_text(change->region), domain_switch(change->receiving),
		    domain_switch(change->reply_tracking), db_id(changing->id),
		    db_id(changing->workspace)),
		&affected, error))
		return false;
	if (affected == 0)
		return domain_fail_missing(error);
	return !change->receiving || !*change->receiving ||
	       store_receiving_route_begin(db, changing->workspace, changing->id, error);
}

bool
store_domain_change(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const struct store_domain_change *change, GError **error)
{
	struct domain_changing changing = {workspace, id, change};

	return change->receiving ? db_transact(db, domain_change_row, &changing, error)
				 : domain_change_row(db, &changing, error);
}

DB_COLUMNS_MAKER(domain_read_row, struct store_domain, DOMAIN_COLUMNS)
DB_COLUMNS_MAKER(domain_read_whole, struct store_domain, DOMAIN_WHOLE_COLUMNS)
STORE_LISTING_READER(domain_read_paged, struct store_domain, DOMAIN_PAGE_COLUMNS)

static struct db_rows *
no_domain(const char *name, GError **error)
{
	g_set_error(
	    error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no domain %s in this workspace", name);
	return NULL;
}

/* Reads the domain of this name, the last one of the values. */
static struct db_rows *
store_domain_domain_find(struct db *db, int statement, const struct db_value *values, gsize count,
    const char *name, GError **error)
{
	/* The server refuses to compare non-ASCII text with an ASCII column. */
	if (!g_str_is_ascii(name))
		return no_domain(name, error);
	AUTO(db_rows) rows = db_select(db, sql[statement], values, count, error);
	if (!rows)
		return NULL;
	return db_rows_next(rows) ? g_steal_pointer(&rows) : no_domain(name, error);
}

struct store_domain *
store_domain_find(struct db *db, const struct base_id *workspace, const char *name, GError **error)
{
	AUTO(db_rows)
	rows = store_domain_domain_find(
	    db, FIND, DB_VALUES(db_id(workspace), db_text(name)), name, error);

	return rows ? domain_read_row(rows) : NULL;
}

static struct store_domain *
domain_find_sender(struct db *db, const struct base_id *workspace, const char *name,
    struct store_domain_recipients *to, GError **error)
{
	struct db_value values[STORE_SUPPRESSION_VALUES + 5];
	bool snoozes = to && to->mailing && to->count == 1;
	int statement = !to		 ? SENDER
			: snoozes	 ? SENDER_MAILING
			: to->count == 1 ? SENDER_TO
					 : SENDER_TO_SOME;
	guint count = 0;

	if (to)
		count =
		    store_suppression_values(workspace, to->keys, to->count, to->mailing, values);
	if (snoozes) {
		values[count++] = db_id(workspace);
		values[count++] = db_text(to->keys->address);
		values[count++] = db_int(base_clock_now());
	}
	values[count++] = db_id(workspace);
	values[count++] = db_text(name);
	AUTO(db_rows) rows = store_domain_domain_find(db, statement, values, count, name, error);
	if (!rows)
		return NULL;
	struct store_domain *domain = domain_read_row(rows);
	domain->ruled = (guint)db_rows_int(rows, SENDER_RULED);
	domain->quota = store_quota_read(db, rows, SENDER_QUOTA);
	if (to) {
		gint64 until = db_rows_int(rows, SENDER_SUPPRESSED);

		to->suppressed = until == 1;
		to->snoozed = until > 1 ? until : 0;
	}
	return domain;
}

bool
store_domain_set_relays(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, enum store_stream stream, const char *relays, GError **error)
{
	if (!domain)
		return db_run(db, relays_sql[stream].of_workspace,
		    DB_VALUES(db_text(relays), db_id(workspace)), NULL, error);
	return db_run(db, relays_sql[stream].of_domain,
	    DB_VALUES(db_text(relays), db_id(workspace), db_id(domain)), NULL, error);
}

struct store_domain *
store_domain_find_sender(struct db *db, const struct base_id *workspace, const char *name,
    struct store_domain_recipients *recipients, GError **error)
{
	/* Tries the name itself, which nearly always matches, and then its parents. A single
	   label is never a domain. */
	for (const char *suffix = name; suffix && strchr(suffix, '.');) {
		g_autoptr(GError) local = NULL;
		struct store_domain *domain =
		    domain_find_sender(db, workspace, suffix, recipients, &local);

		if (domain)
			return domain;
		if (!g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
			g_propagate_error(error, g_steal_pointer(&local));
			return NULL;
		}
		suffix = strchr(suffix, '.') + 1;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
	    "there is no domain for %s in this workspace", name);
	return NULL;
}

bool
store_domain_find_verified(
    struct db *db, const char *name, struct store_domain **domain_r, GError **error)
{
	*domain_r = NULL;
	for (const char *suffix = name; suffix && strchr(suffix, '.');
	     suffix = strchr(suffix, '.') + 1) {
		AUTO(db_rows)
		rows = db_select(db, sql[VERIFIED],
		    DB_VALUES(
			db_text(suffix), db_int(DOMAIN_SUCCESS), db_int(DOMAIN_TEMPORARY_FAILURE)),
		    error);

		if (!rows)
			return false;
		if (db_rows_next(rows)) {
			*domain_r = domain_read_row(rows);
			return true;
		}
	}
	return true;
}

struct store_domain *
store_domain_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return store_domain_get_prefetched(db, NULL, workspace, id, error);
}

struct store_domain *
store_domain_get_prefetched(struct db *db, const struct db_prefetch *ahead,
    const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows = db_select_prefetched(
	    db, ahead, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error);
	AUTO(store_domain) domain = NULL;

	if (!rows)
		return NULL;
	while (db_rows_next(rows)) {
		if (!domain) {
			domain = domain_read_whole(rows);
			domain->keys = g_ptr_array_new_with_free_func(store_domain_key_destroy);
		}
		if (!db_rows_is_null(rows, D_KEY))
			g_ptr_array_add(domain->keys, store_domain_key_read(rows, D_KEY));
	}
	if (domain)
		g_ptr_array_sort(domain->keys, store_domain_key_compare);
	else
		domain_fail_missing(error);
	return g_steal_pointer(&domain);
}

/* Gives each domain its keys; both lists are ordered by domain. */
static void
domain_hand_out(GPtrArray *domains, GPtrArray *keys)
{
	guint next = 0;

	for (guint i = 0; i < domains->len; i++) {
		struct store_domain *domain = domains->pdata[i];

		domain->keys = g_ptr_array_new_with_free_func(store_domain_key_destroy);
		for (; next < keys->len; next++) {
			const struct store_domain_key *key = keys->pdata[next];
			int order = memcmp(&key->domain_id, &domain->id, sizeof(domain->id));

			if (order < 0)
				break;
			if (order == 0)
				g_ptr_array_add(domain->keys, g_steal_pointer(&keys->pdata[next]));
		}
	}
}

GPtrArray *
store_domain_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST],
	    DB_VALUES(db_id(workspace), store_listing_before(before), db_int(limit)), error);

	if (!rows)
		return NULL;
	g_autoptr(GPtrArray) keys = store_domain_key_list_page(db, workspace, before, limit, error);
	if (!keys)
		return NULL;
	GPtrArray *domains = g_ptr_array_new_with_free_func(store_domain_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(domains, domain_read_whole(rows));
	domain_hand_out(domains, keys);
	return domains;
}

STORE_LISTING(listing, domain_read_paged, store_domain_destroy,
    "SELECT " PAGE_COLUMNS TABLES " WHERE d.workspace_id = ?", "d.id");

GPtrArray *
store_domain_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &listing, workspace, page, error);
}
