/* SPDX-License-Identifier: MIT */
/* Reads the deliveries of webhooks with their attempts, and makes them due again. */
#include "store/webhook/delivery.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "base/limits/webhook.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"

/* Columns of a delivery d and of its attempt a. */
#define DELIVERY_COLUMNS(FIRST, NEXT)                                                              \
	FIRST(id, "d.id")                                                                          \
	NEXT(event_id, "d.event_id")                                                               \
	NEXT(type, "d.type")                                                                       \
	NEXT(email_id, "d.email_id", has_email)                                                    \
	NEXT(recipient, "COALESCE(d.recipient, -1)")                                               \
	NEXT(happened, "d.created")                                                                \
	NEXT(status, "d.status")                                                                   \
	NEXT(next_attempt, "d.next_attempt")                                                       \
	NEXT(tries, "d.attempts")
#define ATTEMPT_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(number, "a.number")                                                                  \
	NEXT(timestamp, "a.timestamp")                                                             \
	NEXT(duration, "a.duration")                                                               \
	NEXT(response_status, "a.response_status")                                                 \
	NEXT(response_body, "a.response_body")                                                     \
	NEXT(error, "a.error")
enum { DELIVERY_ID, ATTEMPT_NUMBER = DB_COLUMNS_END(DELIVERY_COLUMNS) };

/* Deliveries, each with the newest of its attempts. Takes the number of attempts, what condition
   takes, and the webhook. */
#define DELIVERIES(condition)                                                                      \
	"SELECT " DB_COLUMNS_SQL(DELIVERY_COLUMNS) ", " DB_COLUMNS_SQL(                            \
	    ATTEMPT_COLUMNS) " FROM (SELECT l.id, l.event_id, l.type, l.email_id, l.recipient, "   \
			     "l.created, "                                                         \
			     "l.status, l.next_attempt,"                                           \
			     " l.attempts, (SELECT MAX(m.number) FROM webhook_attempt m WHERE "    \
			     "m.webhook_id = "                                                     \
			     "l.webhook_id"                                                        \
			     " AND m.delivery_id = l.id) - ? AS hidden FROM webhook_delivery "     \
			     "l " condition ") d"                                                  \
			     " LEFT JOIN webhook_attempt a ON a.webhook_id = ? AND a.delivery_id " \
			     "= d.id"                                                              \
			     " AND a.number > d.hidden ORDER BY d.id DESC, a.number"

/* A page. Takes the workspace, the webhook, the ids from which and below which, a type or NULL, and
   the size of the page. */
#define PAGE                                                                                       \
	" l.workspace_id = ? AND l.webhook_id = ? AND l.id >= ? AND l.id < ?"                      \
	" AND l.type = COALESCE(?, l.type) ORDER BY l.id DESC LIMIT ?"
#define LOOKED G_STRINGIFY(LIMIT_DELIVERIES_LOOKED)

/* The deliveries of a span. */
#define SPAN                                                                                       \
	" WHERE workspace_id = ? AND webhook_id = ? AND id >= ? AND id < ?"                        \
	" AND status = COALESCE(?, status)"

/* A delivery that is done leaves its batch. One that is pending stays in it. */
#define REPLAY                                                                                     \
	"SET batch_id = IF(status = " DELIVERY_PENDING_SQL                                         \
	", batch_id, NULL), status = " DELIVERY_PENDING_SQL ", attempts = 0, next_attempt = "      \
	"?"

enum {
	WEBHOOK,
	LIST,
	LIST_NEWER,
	LIST_PENDING,
	LIST_MANY_PENDING,
	LIST_DONE,
	HAS_MANY_PENDING,
	BOUND_OF_ALL,
	BOUND_OF_DONE,
	GET,
	REPLAY_ONE,
	SPAN_END,
	REPLAY_SPAN
};
/* By checked ids: HAS_MANY_PENDING, BOUND_OF_ALL, BOUND_OF_DONE. The page, which is read with the
   webhook, fails if the webhook is not of the workspace. */
static const char *const sql[] = {
    [WEBHOOK] = "SELECT enabled, form FROM webhook WHERE workspace_id = ? AND id = ?",
    [LIST] = DELIVERIES("FORCE INDEX (PRIMARY) WHERE" PAGE),
    [LIST_NEWER] = DELIVERIES("FORCE INDEX (PRIMARY) WHERE l.workspace_id = ?"
			      " AND l.webhook_id = ? AND l.id > ? ORDER BY l.id LIMIT ?"),
    /* In the key due, deliveries that are done are in the order of their ids. */
    [LIST_PENDING] = DELIVERIES("FORCE INDEX (due) WHERE l.status = ? AND" PAGE),
    [LIST_MANY_PENDING] = DELIVERIES("FORCE INDEX (PRIMARY) WHERE l.status = ? AND" PAGE),
    [LIST_DONE] =
	DELIVERIES("FORCE INDEX (due) WHERE l.status = ? AND l.next_attempt IS NULL AND" PAGE),
    /* The keys alone have all columns of these. */
    [HAS_MANY_PENDING] = "SELECT 1 FROM webhook_delivery FORCE INDEX (due) WHERE webhook_id = ?"
			 " AND status = ? LIMIT 1 OFFSET " LOOKED,
    [BOUND_OF_ALL] = "SELECT id FROM webhook_delivery FORCE INDEX (PRIMARY)"
		     " WHERE webhook_id = ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET " LOOKED,
    [BOUND_OF_DONE] = "SELECT id FROM webhook_delivery FORCE INDEX (due) WHERE webhook_id = ?"
		      " AND status = ? AND next_attempt IS NULL AND id < ?"
		      " ORDER BY id DESC LIMIT 1 OFFSET " LOOKED,
    [GET] = DELIVERIES("WHERE l.workspace_id = ? AND l.webhook_id = ? AND l.id = ?"),
    [REPLAY_ONE] =
	"UPDATE webhook_delivery " REPLAY " WHERE workspace_id = ? AND webhook_id = ? AND id = ?",
    /* The first delivery that is one too many. */
    [SPAN_END] = "SELECT id FROM webhook_delivery FORCE INDEX (PRIMARY)" SPAN
		 " ORDER BY id LIMIT 1 OFFSET ?",
    [REPLAY_SPAN] = "UPDATE webhook_delivery FORCE INDEX (PRIMARY) " REPLAY SPAN,
};

/* The columns of WEBHOOK. */
enum { WEBHOOK_ENABLED, WEBHOOK_FORM };
const char *const store_webhook_delivery_statuses[] = {"pending", "succeeded", "failed", NULL};

static void
free_attempt(void *data)
{
	struct store_webhook_attempt *attempt = data;

	g_free(attempt->response_body);
	g_free(attempt->error);
	g_free(attempt);
}

void
store_webhook_delivery_free(struct store_webhook_delivery *delivery)
{
	g_ptr_array_unref(delivery->attempts);
	g_free(delivery);
}

static bool
delivery_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Delivery not found");
}

DB_COLUMNS_READER(delivery_read_columns, struct store_webhook_delivery, DELIVERY_COLUMNS)

static struct store_webhook_delivery *
delivery_read_row(
    const struct db_rows *rows, const struct base_id *workspace, const struct base_id *webhook)
{
	struct store_webhook_delivery *delivery = g_new0(struct store_webhook_delivery, 1);

	delivery_read_columns(rows, 0, delivery);
	delivery->workspace_id = *workspace;
	delivery->webhook_id = *webhook;
	delivery->created = base_id_time(&delivery->id);
	delivery->attempts = g_ptr_array_new_with_free_func(free_attempt);
	return delivery;
}

DB_COLUMNS_READER(delivery_read_attempt_columns, struct store_webhook_attempt, ATTEMPT_COLUMNS)

static void
read_attempt(const struct db_rows *rows, struct store_webhook_delivery *delivery)
{
	if (db_rows_is_null(rows, ATTEMPT_NUMBER))
		return;
	struct store_webhook_attempt *attempt = g_new0(struct store_webhook_attempt, 1);
	g_ptr_array_add(delivery->attempts, attempt);
	delivery_read_attempt_columns(rows, ATTEMPT_NUMBER, attempt);
}

/* A row for each attempt, and one for a delivery without an attempt. */
static GPtrArray *
delivery_read_rows(struct db_rows *rows, const struct base_id *workspace,
    const struct base_id *webhook, enum store_webhook_form form)
{
	GPtrArray *deliveries = g_ptr_array_new_with_free_func(store_webhook_delivery_destroy);
	struct store_webhook_delivery *delivery = NULL;
	struct base_id id;

	while (db_rows_next(rows)) {
		db_rows_id(rows, DELIVERY_ID, &id);
		if (!delivery || !base_id_equal(&delivery->id, &id)) {
			delivery = delivery_read_row(rows, workspace, webhook);
			delivery->form = form;
			g_ptr_array_add(deliveries, delivery);
		}
		read_attempt(rows, delivery);
	}
	return deliveries;
}

/* Reads deliveries of a webhook, which must exist, in one round trip. */
static GPtrArray *
delivery_read_deliveries(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct db_query *list, GError **error)
{
	const struct db_value of_webhook[] = {db_id(workspace), db_id(webhook)};
	const struct db_query queries[] = {
	    {sql[WEBHOOK], of_webhook, G_N_ELEMENTS(of_webhook)}, *list};
	struct db_rows *rows[G_N_ELEMENTS(queries)];
	GPtrArray *deliveries = NULL;

	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return NULL;
	if (db_rows_next(rows[0]))
		deliveries = delivery_read_rows(rows[1], workspace, webhook,
		    (enum store_webhook_form)db_rows_int(rows[0], WEBHOOK_FORM));
	else
		store_webhook_missing(error);
	db_rows_free_all(rows, G_N_ELEMENTS(queries));
	return deliveries;
}

/* A page that is asked for: ids from low on, below high. */
struct page {
	const struct base_id *workspace, *webhook;
	const struct store_webhook_delivery_filter *filter;
	struct base_id low, high;
};

/* Whether more deliveries are pending than a page looks at. The key has them in the order of their
   next attempts, so that as many are sorted. */
static bool
has_many_pending(struct db *db, const struct page *page, bool *many_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[HAS_MANY_PENDING],
	    DB_VALUES(db_id(page->webhook), db_int(DELIVERY_PENDING)), error);

	*many_r = rows && db_rows_next(rows);
	return rows != NULL;
}

/* The statement of a page. *bound_r: that of its bound; -1: it has none. */
static bool
delivery_choose(
    struct db *db, const struct page *page, int *statement_r, int *bound_r, GError **error)
{
	const struct store_webhook_delivery_filter *filter = page->filter;
	bool many = false;

	if (filter->status == DELIVERY_PENDING && !has_many_pending(db, page, &many, error))
		return false;
	*statement_r = filter->status == DELIVERY_PENDING
			   ? (many ? LIST_MANY_PENDING : LIST_PENDING)
		       : filter->status ? LIST_DONE
					: LIST;
	*bound_r = many || (filter->type && !filter->status)   ? BOUND_OF_ALL
		   : filter->type && *statement_r == LIST_DONE ? BOUND_OF_DONE
							       : -1;
	return true;
}

/* Moves the low end of a page up to the last row that it looks at. *has_rest_r: there are more. */
static bool
delivery_set_bound(struct db *db, struct page *page, int bound, bool *has_rest_r, GError **error)
{
	struct db_value values[3] = {db_id(page->webhook)};
	gsize count = 1;
	struct base_id rest;

	if (bound == BOUND_OF_DONE)
		values[count++] = db_int(page->filter->status);
	values[count++] = db_id(&page->high);
	AUTO(db_rows) rows = db_select(db, sql[bound], values, count, error);

	if (!rows)
		return false;
	*has_rest_r = db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &rest);
	if (*has_rest_r)
		page->low = base_id_next(&rest);
	return true;
}

static GPtrArray *
delivery_read_page(struct db *db, const struct page *page, int statement, GError **error)
{
	struct db_value values[9] = {db_int(LIMIT_DELIVERY_ATTEMPTS)};
	gsize count = 1;

	if (statement != LIST)
		values[count++] = db_int(page->filter->status);
	values[count++] = db_id(page->workspace);
	values[count++] = db_id(page->webhook);
	values[count++] = db_id(&page->low);
	values[count++] = db_id(&page->high);
	values[count++] = db_int_or_null(page->filter->type);
	values[count++] = db_int(page->filter->limit);
	values[count++] = db_id(page->webhook);
	return delivery_read_deliveries(db, page->workspace, page->webhook,
	    &(struct db_query){sql[statement], values, count}, error);
}

GPtrArray *
store_webhook_delivery_list(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct store_webhook_delivery_filter *filter,
    struct store_rest *rest_r, GError **error)
{
	struct page page = {.workspace = workspace, .webhook = webhook, .filter = filter};
	int statement, bound;

	memset(&page.high, 0xff, sizeof(page.high));
	if (filter->before)
		page.high = *filter->before;
	rest_r->is_any = false;
	if (!delivery_choose(db, &page, &statement, &bound, error) ||
	    (bound >= 0 && !delivery_set_bound(db, &page, bound, &rest_r->is_any, error)))
		return NULL;
	rest_r->id = page.low;
	return delivery_read_page(db, &page, statement, error);
}

/* As WEBHOOK_DELIVERY_ID (store/webhook/enqueue.h) has it. */
struct base_id
store_webhook_delivery_id(const struct base_id *event, const struct base_id *webhook)
{
	struct base_id id = *event;

	memcpy(id.bytes + 14, webhook->bytes + 14, 2);
	return id;
}

GPtrArray *
store_webhook_delivery_page(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct store_page *page, GError **error)
{
	struct base_id place = store_webhook_delivery_id(&page->cursor, webhook);
	struct store_webhook_delivery_filter filter = {
	    .before = page->side == STORE_PAGE_FIRST ? NULL : &place, .limit = page->limit};
	struct store_rest rest;

	if (page->side != STORE_PAGE_NEWER)
		return store_webhook_delivery_list(db, workspace, webhook, &filter, &rest, error);
	return delivery_read_deliveries(db, workspace, webhook,
	    &(struct db_query){sql[LIST_NEWER],
		DB_VALUES(db_int(LIMIT_DELIVERY_ATTEMPTS), db_id(workspace), db_id(webhook),
		    db_id(&place), db_int(page->limit), db_id(webhook))},
	    error);
}

struct store_webhook_delivery *
store_webhook_delivery_get(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct base_id *id, GError **error)
{
	g_autoptr(GPtrArray) found = delivery_read_deliveries(db, workspace, webhook,
	    &(struct db_query){
		sql[GET], DB_VALUES(db_int(LIMIT_DELIVERY_ATTEMPTS), db_id(workspace),
			      db_id(webhook), db_id(id), db_id(webhook))},
	    error);

	if (found && found->len == 0)
		delivery_missing(error);
	return found && found->len > 0 ? g_ptr_array_steal_index(found, 0) : NULL;
}

static bool
read_enabled(struct db *db, const struct base_id *workspace, const struct base_id *webhook,
    bool *enabled_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[WEBHOOK], DB_VALUES(db_id(workspace), db_id(webhook)), error);

	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return store_webhook_missing(error);
	*enabled_r = db_rows_int(rows, WEBHOOK_ENABLED) != 0;
	return true;
}

static bool
disabled(GError **error)
{
	return base_fail(error, PH_ERROR_CONFLICT, "Webhook is disabled");
}

/* A replay of one delivery, or of a span with its results. */
struct replay {
	const struct base_id *workspace, *webhook, *id;
	const struct store_webhook_delivery_span *span;
	guint64 count;
	bool more;
};

static bool
delivery_replay_one(struct db *db, void *context, GError **error)
{
	struct replay *replay = context;
	bool enabled;

	return read_enabled(db, replay->workspace, replay->webhook, &enabled, error) &&
	       db_run(db, sql[REPLAY_ONE],
		   DB_VALUES(db_int(base_clock_now()), db_id(replay->workspace),
		       db_id(replay->webhook), db_id(replay->id)),
		   &replay->count, error) &&
	       (replay->count > 0 || delivery_missing(error)) && (enabled || disabled(error));
}

bool
store_webhook_delivery_replay(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct base_id *id, GError **error)
{
	struct replay replay = {.workspace = workspace, .webhook = webhook, .id = id};

	return db_transact(db, delivery_replay_one, &replay, error);
}

/* Finds the end of the deliveries that are replayed: of the span, or of LIMIT_REPLAY ones. */
static bool
delivery_find_end(struct db *db, struct replay *replay, struct base_id *end_r, GError **error)
{
	const struct store_webhook_delivery_span *span = replay->span;
	struct base_id from = base_id_floor(span->from), to = base_id_floor(span->to);
	AUTO(db_rows) rows = db_select(db, sql[SPAN_END],
	    DB_VALUES(db_id(replay->workspace), db_id(replay->webhook), db_id(&from), db_id(&to),
		db_int_or_null(span->status), db_int(LIMIT_REPLAY)),
	    error);

	if (!rows)
		return false;
	replay->more = db_rows_next(rows);
	if (replay->more)
		db_rows_id(rows, DB_ROWS_ONLY, end_r);
	else
		*end_r = to;
	return true;
}

static bool
delivery_replay_span(struct db *db, void *context, GError **error)
{
	struct replay *replay = context;
	const struct store_webhook_delivery_span *span = replay->span;
	struct base_id from = base_id_floor(span->from), end;
	bool enabled;

	return read_enabled(db, replay->workspace, replay->webhook, &enabled, error) &&
	       (enabled || disabled(error)) && delivery_find_end(db, replay, &end, error) &&
	       db_run(db, sql[REPLAY_SPAN],
		   DB_VALUES(db_int(base_clock_now()), db_id(replay->workspace),
		       db_id(replay->webhook), db_id(&from), db_id(&end),
		       db_int_or_null(span->status)),
		   &replay->count, error);
}

bool
store_webhook_delivery_replay_span(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct store_webhook_delivery_span *span,
    struct store_webhook_replayed *replayed_r, GError **error)
{
	struct replay replay = {.workspace = workspace, .webhook = webhook, .span = span};

	if (!db_transact(db, delivery_replay_span, &replay, error))
		return false;
	*replayed_r = (struct store_webhook_replayed){(guint)replay.count, replay.more};
	return true;
}
