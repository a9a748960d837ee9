/* SPDX-License-Identifier: MIT */
/* Counts the messages of a workspace that have not left, and groups them by their reasons. */
#include "store/outbox/queue.h"

#include <string.h>

#include "base/limits/list.h"
#include "db/statement.h"
#include "store/email/event.h"

/* A page is cut on the index before the joins, so that its cost does not grow with the queue. The
   reason of a message is that of the first recipient that it has not reached. */
#define FIRST_RECIPIENT "CONV(HEX(LEFT(page.recipients, 2)), 16, 10)"
#define FROM_LANE(columns, lane, condition)                                                        \
	"(SELECT " columns " FROM outbox FORCE INDEX (turn) WHERE workspace_id = ?"                \
	" AND is_bulk = " lane " AND " condition " ORDER BY turn_at LIMIT ?)"
/* Each lane, is_bulk 0 and 1, has its own range of the key. */
#define FROM_LANES(columns, condition)                                                             \
	FROM_LANE(columns, "0", condition) " UNION ALL " FROM_LANE(columns, "1", condition)
#define LOOK(condition)                                                                            \
	"SELECT page.owner IS NOT NULL, page.attempts, page.since, page.ready_at, page.email_id,"  \
	" COALESCE(page.reason, v.smtp_response, v.enhanced_code), e.type FROM (" FROM_LANES(      \
	    "id, workspace_id, email_id, recipients, attempts, since, ready_at, owner, reason",    \
	    condition) " ORDER BY ready_at LIMIT ?) page"                                          \
		       " LEFT JOIN recipient r FORCE INDEX (PRIMARY) ON page.attempts > 0"         \
		       " AND page.reason IS NULL AND r.email_id = page.email_id"                   \
		       " AND r.number = " FIRST_RECIPIENT                                          \
		       " LEFT JOIN event v FORCE INDEX (PRIMARY)"                                  \
		       " ON v.email_id = r.email_id AND v.recipient = r.number"                    \
		       " AND v.timestamp = r.status_at AND v.id = r.event_id"                      \
		       " LEFT JOIN email e FORCE INDEX (PRIMARY) ON e.id = page.email_id"          \
		       " AND e.workspace_id = page.workspace_id"
#define COUNT(condition)                                                                           \
	"SELECT COUNT(*) FROM (" FROM_LANES("turn_at", condition) " LIMIT ?) counted"
/* turn_at is null where ready_at is. */
#define WAITING "turn_at IS NOT NULL"
#define HELD "turn_at IS NULL"

enum { COUNT_WAITING, COUNT_HELD, LOOK_WAITING, LOOK_HELD, STATEMENTS };
static const char *const sql[STATEMENTS] = {
    [COUNT_WAITING] = COUNT(WAITING),
    [COUNT_HELD] = COUNT(HELD),
    [LOOK_WAITING] = LOOK(WAITING),
    [LOOK_HELD] = LOOK(HELD),
};

/* The columns of LOOK. */
enum { L_IS_CLAIMED, L_ATTEMPTS, L_SINCE, L_READY_AT, L_EMAIL, L_REASON, L_TYPE };

const char *
store_queue_state_name(enum store_queue_state state)
{
	static const char *const names[] = {[QUEUE_DUE] = "due",
	    [QUEUE_SCHEDULED] = "scheduled",
	    [QUEUE_DELAYED] = "delayed",
	    [QUEUE_SENDING] = "sending",
	    [QUEUE_HELD] = "held"};

	return names[state];
}

static void
free_reason(void *data)
{
	struct store_queue_reason *reason = data;

	g_free(reason->reason);
	g_free(reason);
}

void
store_queue_free(struct store_queue *queue)
{
	g_ptr_array_unref(queue->reasons);
	g_free(queue);
}

static enum store_queue_state
queue_state_of(const struct db_rows *rows, gint64 now)
{
	if (db_rows_is_null(rows, L_READY_AT))
		return QUEUE_HELD;
	if (db_rows_int(rows, L_IS_CLAIMED))
		return QUEUE_SENDING;
	if (db_rows_int(rows, L_ATTEMPTS) > 0 || !db_rows_is_null(rows, L_REASON))
		return QUEUE_DELAYED;
	return db_rows_int(rows, L_READY_AT) <= now ? QUEUE_DUE : QUEUE_SCHEDULED;
}

static guint
hash_reason(const void *data)
{
	const struct store_queue_reason *reason = data;

	return (reason->reason ? g_str_hash(reason->reason) : 0) ^ reason->state;
}

static gboolean
is_equal(const void *a, const void *b)
{
	const struct store_queue_reason *one = a, *other = b;

	return one->state == other->state && g_strcmp0(one->reason, other->reason) == 0;
}

/* Adds the message of a row to those of its reason, which is made if it is the first. */
static void
queue_add(struct store_queue *queue, GHashTable *known, const struct db_rows *rows, gint64 now)
{
	const struct store_queue_reason key = {
	    .state = queue_state_of(rows, now), .reason = (char *)db_rows_text(rows, L_REASON)};
	struct store_queue_reason *reason = g_hash_table_lookup(known, &key);
	gint64 since = db_rows_int(rows, L_SINCE);

	if (!reason) {
		reason = g_new0(struct store_queue_reason, 1);
		reason->state = key.state;
		reason->reason = g_strdup(key.reason);
		reason->oldest = since;
		if (key.state != QUEUE_SENDING)
			reason->next_attempt = db_rows_int(rows, L_READY_AT);
		db_rows_id(rows, L_EMAIL, &reason->email_id);
		reason->is_part = db_rows_int(rows, L_TYPE) == EMAIL_BROADCAST;
		g_ptr_array_add(queue->reasons, reason);
		g_hash_table_add(known, reason);
	}
	reason->messages++;
	reason->oldest = MIN(reason->oldest, since);
}

static int
by_messages(const void *a, const void *b)
{
	const struct store_queue_reason *x = *(void *const *)a, *y = *(void *const *)b;

	return x->messages > y->messages ? -1 : x->messages < y->messages;
}

static void
queue_read_queue(struct store_queue *queue, struct db_rows *const *rows, gint64 now)
{
	g_autoptr(GHashTable) known = g_hash_table_new(hash_reason, is_equal);

	if (db_rows_next(rows[COUNT_WAITING]))
		queue->messages = db_rows_int(rows[COUNT_WAITING], DB_ROWS_ONLY);
	if (db_rows_next(rows[COUNT_HELD]))
		queue->held = db_rows_int(rows[COUNT_HELD], DB_ROWS_ONLY);
	queue->has_more = queue->messages > LIMIT_QUEUE_COUNTED;
	queue->messages = MIN(queue->messages, LIMIT_QUEUE_COUNTED);
	queue->held = MIN(queue->held, LIMIT_QUEUE_COUNTED);
	while (db_rows_next(rows[LOOK_WAITING]))
		queue_add(queue, known, rows[LOOK_WAITING], now);
	while (db_rows_next(rows[LOOK_HELD]))
		queue_add(queue, known, rows[LOOK_HELD], now);
	g_ptr_array_sort(queue->reasons, by_messages);
}

struct store_queue *
store_queue_read(struct db *db, const struct base_id *workspace, gint64 now, GError **error)
{
	const struct db_value id = db_id(workspace), most = db_int(LIMIT_QUEUE_COUNTED + 1),
			      page = db_int(LIMIT_QUEUE_LOOKED);
	const struct db_value counted[] = {id, most, id, most, most};
	const struct db_value looked[] = {id, page, id, page, page};
	struct db_query queries[STATEMENTS];
	struct db_rows *rows[STATEMENTS];

	for (guint i = 0; i < STATEMENTS; i++)
		queries[i] = (struct db_query){
		    sql[i], i < LOOK_WAITING ? counted : looked, G_N_ELEMENTS(counted)};
	if (!db_select_together(db, queries, STATEMENTS, rows, error))
		return NULL;
	struct store_queue *queue = g_new0(struct store_queue, 1);
	queue->reasons = g_ptr_array_new_with_free_func(free_reason);
	queue_read_queue(queue, rows, now);
	db_rows_free_all(rows, STATEMENTS);
	return queue;
}
