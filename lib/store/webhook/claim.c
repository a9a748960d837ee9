/* SPDX-License-Identifier: MIT */
/* Finds webhooks with deliveries that are due, leases them, and stores results. */
#include "store/webhook/claim.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/webhook.h"
#include "db/columns.h"
#include "db/statement.h"
#include "store/common/turn.h"

/* Ids in one statement that reads the members of a batch. */
#define MEMBERS 20
#define MEMBER_QUERIES (LIMIT_WEBHOOK_BATCH / MEMBERS)

#define DUE_COLUMNS(FIRST, NEXT)                                                                   \
	FIRST(id, "w.id")                                                                          \
	NEXT(url, "w.url")                                                                         \
	NEXT(slow, "w.slow")                                                                       \
	NEXT(owner, "w.owner")                                                                     \
	NEXT(token, "w.token")                                                                     \
	NEXT(lease_until, "w.lease_until")
#define STATE_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "id")                                                                            \
	NEXT(workspace_id, "workspace_id")                                                         \
	NEXT(url, "url")                                                                           \
	NEXT(enabled, "enabled")                                                                   \
	NEXT(batch, "batch")                                                                       \
	NEXT(slow, "slow")                                                                         \
	NEXT(secret, "secret")                                                                     \
	NEXT(previous_secret, "previous_secret")                                                   \
	NEXT(previous_expires, "previous_expires")                                                 \
	NEXT(failing_since, "failing_since")                                                       \
	NEXT(rest_until, "rest_until")                                                             \
	NEXT(failures, "failures")                                                                 \
	NEXT(reason, "disabled_reason")                                                            \
	NEXT(form, "form")
#define STATE "SELECT " DB_COLUMNS_SQL(STATE_COLUMNS) " FROM webhook"
#define DELIVERY_COLUMNS(FIRST, NEXT)                                                              \
	FIRST(id, "id")                                                                            \
	NEXT(event_id, "event_id")                                                                 \
	NEXT(type, "type")                                                                         \
	NEXT(email_id, "email_id", has_email)                                                      \
	NEXT(recipient, "COALESCE(recipient, -1)")                                                 \
	NEXT(created, "created")                                                                   \
	NEXT(attempts, "attempts")                                                                 \
	NEXT(made, "made")                                                                         \
	NEXT(next_attempt, "next_attempt")                                                         \
	NEXT(batch_id, "batch_id", has_batch)
#define DELIVERY "SELECT " DB_COLUMNS_SQL(DELIVERY_COLUMNS) " FROM webhook_delivery"

enum {
	DUE,
	TAKE,
	READ_STATE,
	READ_OWN_STATE,
	LOCK,
	KEEP,
	SWITCH_OFF,
	GIVE_BACK,
	PAGE_SAME,
	PAGE,
	BATCH,
	BATCH_MEMBERS,
	ADD_BATCH,
	SET_BATCH,
	REMOVE_BATCH,
	SET_RESULT,
	COUNT_ATTEMPT,
	ADD_ATTEMPT,
	ONE
};
/* System-wide: DUE. The spool tells the webhooks of all workspaces. */
/* By checked ids: TAKE, READ_STATE, LOCK, KEEP, GIVE_BACK, PAGE_SAME, PAGE, BATCH, BATCH_MEMBERS,
   SET_BATCH, REMOVE_BATCH, SET_RESULT, COUNT_ATTEMPT, ONE. The caller has the webhook from DUE, or
   has found it in its workspace. */
static const char *const sql[] = {
    /* For each webhook the server reads the first row in the key due, where a webhook.test that is
       under way (NULL) stands in front. */
    [DUE] = "SELECT " DB_COLUMNS_SQL(
	DUE_COLUMNS) " FROM webhook w FORCE INDEX (PRIMARY) WHERE w.id > ? AND w.enabled = 1"
		     " AND w.rest_until <= ? AND (SELECT h.next_attempt"
		     " FROM webhook_delivery h FORCE INDEX (due) WHERE h.webhook_id = w.id"
		     " AND h.status = " DELIVERY_PENDING_SQL
		     " AND h.next_attempt > 0 ORDER BY h.next_attempt LIMIT 1) <= "
		     "? ORDER "
		     "BY w.id LIMIT ?",
    [TAKE] = "UPDATE webhook SET owner = ?, token = ?, lease_until = ?"
	     " WHERE id = ? AND token <=> ? AND enabled = 1 AND rest_until <= ?",
    [READ_STATE] = STATE " WHERE id = ?",
    [READ_OWN_STATE] = STATE " WHERE id = ? AND workspace_id = ?",
    [LOCK] = STATE " WHERE id = ? AND token = ? FOR UPDATE",
    [KEEP] = "UPDATE webhook SET failures = ?, failing_since = ?, rest_until = ?, slow = ?,"
	     " enabled = ?, disabled_reason = ?, owner = ?, token = ?, lease_until = ?"
	     " WHERE id = ?",
    [SWITCH_OFF] = "UPDATE webhook SET enabled = 0, disabled_reason = ?"
		   " WHERE workspace_id = ? AND id = ? AND enabled = 1",
    [GIVE_BACK] = "UPDATE webhook SET owner = NULL, token = NULL, lease_until = 0"
		  " WHERE id = ? AND token = ?",
    /* The rest of the deliveries of the same time, then those of later times. */
    [PAGE_SAME] =
	DELIVERY " FORCE INDEX (due) WHERE webhook_id = ? AND status = " DELIVERY_PENDING_SQL
		 " AND next_attempt = ? AND id > ? ORDER BY id LIMIT ?",
    [PAGE] =
	DELIVERY " FORCE INDEX (due) WHERE webhook_id = ? AND status = " DELIVERY_PENDING_SQL
		 " AND next_attempt > ? AND next_attempt <= ? ORDER BY next_attempt, id LIMIT ?",
    [BATCH] = "SELECT members FROM webhook_batch WHERE webhook_id = ? AND id = ?",
    [BATCH_MEMBERS] =
	DELIVERY " FORCE INDEX (PRIMARY) WHERE webhook_id = ?"
		 " AND id IN (" DB_MARKS_20 ") AND batch_id = ? AND status = " DELIVERY_PENDING_SQL,
    [ADD_BATCH] = "INSERT INTO webhook_batch (webhook_id, id, workspace_id, members)"
		  " VALUES (?, ?, ?, ?)",
    [SET_BATCH] = "UPDATE webhook_delivery SET batch_id = ? WHERE webhook_id = ? AND id = ?",
    [REMOVE_BATCH] = "DELETE FROM webhook_batch WHERE webhook_id = ? AND id = ?",
    [SET_RESULT] = "UPDATE webhook_delivery SET made = ?, status = ?, attempts = ?,"
		   " next_attempt = ?, batch_id = ?"
		   " WHERE webhook_id = ? AND id = ? AND next_attempt <=> ?",
    /* For those that the statement above did not find. */
    [COUNT_ATTEMPT] = "UPDATE webhook_delivery SET made = GREATEST(made, ?)"
		      " WHERE webhook_id = ? AND id = ?",
    [ADD_ATTEMPT] = "INSERT INTO webhook_attempt (webhook_id, delivery_id, number, workspace_id,"
		    " timestamp, response_status, duration, response_body, error)"
		    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ONE] = DELIVERY " WHERE webhook_id = ? AND id = ?",
};

DB_COLUMNS_MAKER(claim_read_due, struct store_webhook_due, DUE_COLUMNS)
DB_COLUMNS_MAKER(claim_make_state, struct store_webhook_state, STATE_COLUMNS)
DB_COLUMNS_READER(claim_read_delivery, struct store_delivery, DELIVERY_COLUMNS)

void
store_webhook_due_free(struct store_webhook_due *due)
{
	g_free(due->url);
	g_free(due->owner);
	g_free(due);
}

GPtrArray *
store_webhook_due_list(
    struct db *db, const struct base_id *after, gint64 now, guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(
	    db, sql[DUE], DB_VALUES(db_id(after), db_int(now), db_int(now), db_int(limit)), error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(store_webhook_due_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(list, claim_read_due(rows));
	return list;
}

bool
store_webhook_take(struct db *db, const struct store_webhook_due *due,
    const struct store_webhook_lease *lease, gint64 now, bool *taken_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[TAKE],
		DB_VALUES(db_text(lease->owner), db_int(lease->token), db_int(lease->until),
		    db_id(&due->id), db_int_or_null(due->token), db_int(now)),
		&affected, error))
		return false;
	*taken_r = affected > 0;
	return true;
}

void
store_webhook_state_free(struct store_webhook_state *state)
{
	g_free(state->url);
	g_clear_pointer(&state->secret, g_bytes_unref);
	g_clear_pointer(&state->previous_secret, g_bytes_unref);
	g_free(state);
}

/* NULL when there is no row. */
static struct store_webhook_state *
claim_read_state(struct db_rows *rows)
{
	return db_rows_next(rows) ? claim_make_state(rows) : NULL;
}

struct store_webhook_state *
store_webhook_state_read(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	const struct db_value values[] = {db_id(id), db_id(workspace)};
	AUTO(db_rows) rows = db_select(
	    db, sql[workspace ? READ_OWN_STATE : READ_STATE], values, workspace ? 2 : 1, error);

	if (!rows)
		return NULL;
	struct store_webhook_state *state = claim_read_state(rows);
	if (!state)
		base_fail(error, PH_ERROR_NOT_FOUND, "Webhook not found");
	return state;
}

bool
store_webhook_lock(struct db *db, const struct base_id *id, gint64 token,
    struct store_webhook_state **state_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LOCK], DB_VALUES(db_id(id), db_int(token)), error);

	*state_r = rows ? claim_read_state(rows) : NULL;
	return rows != NULL;
}

bool
store_webhook_keep(struct db *db, const struct store_webhook_state *state,
    const struct store_webhook_lease *lease, GError **error)
{
	return db_defer(db, sql[KEEP],
	    DB_VALUES(db_int(state->failures), db_int_or_null(state->failing_since),
		db_int(state->rest_until), db_int(state->slow), db_int(state->enabled),
		db_int_or_null(state->reason), db_text(lease ? lease->owner : NULL),
		db_int_or_null(lease ? lease->token : 0), db_int(lease ? lease->until : 0),
		db_id(&state->id)),
	    1, error);
}

bool
store_webhook_switch_off(struct db *db, const struct store_webhook_state *state, GError **error)
{
	return db_run(db, sql[SWITCH_OFF],
	    DB_VALUES(db_int(WEBHOOK_GONE), db_id(&state->workspace_id), db_id(&state->id)), NULL,
	    error);
}

bool
store_webhook_give_back(struct db *db, const struct base_id *id, gint64 token, GError **error)
{
	return db_run(db, sql[GIVE_BACK], DB_VALUES(db_id(id), db_int(token)), NULL, error);
}

static void
claim_read_deliveries(struct db_rows *rows, GArray *deliveries)
{
	while (db_rows_next(rows)) {
		struct store_delivery delivery = {.attempts = 0};

		claim_read_delivery(rows, 0, &delivery);
		g_array_append_val(deliveries, delivery);
	}
}

GArray *
store_webhook_page(struct db *db, const struct base_id *webhook,
    const struct store_webhook_place *place, gint64 now, guint limit, GError **error)
{
	const struct db_value same[] = {
	    db_id(webhook), db_int(place->next_attempt), db_id(&place->id), db_int(limit)};
	const struct db_value later[] = {
	    db_id(webhook), db_int(place->next_attempt), db_int(now), db_int(limit)};
	const struct db_query queries[] = {
	    {sql[PAGE_SAME], same, G_N_ELEMENTS(same)}, {sql[PAGE], later, G_N_ELEMENTS(later)}};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return NULL;
	GArray *deliveries = g_array_new(FALSE, FALSE, sizeof(struct store_delivery));
	for (guint i = 0; i < G_N_ELEMENTS(queries); i++)
		claim_read_deliveries(rows[i], deliveries);
	db_rows_free_all(rows, G_N_ELEMENTS(queries));
	if (deliveries->len > limit)
		g_array_set_size(deliveries, limit);
	return deliveries;
}

/* Brings the deliveries into the order of their ids in members. */
static GArray *
order(GArray *found, const struct base_id *members, guint count)
{
	GArray *ordered = g_array_new(FALSE, FALSE, sizeof(struct store_delivery));

	for (guint i = 0; i < count; i++)
		for (guint j = 0; j < found->len; j++) {
			struct store_delivery *one =
			    &g_array_index(found, struct store_delivery, j);

			if (base_id_equal(&one->id, &members[i])) {
				g_array_append_vals(ordered, one, 1);
				break;
			}
		}
	return ordered;
}

static GArray *
claim_read_members(struct db *db, const struct base_id *webhook, const struct base_id *batch,
    const struct base_id *members, guint count, GError **error)
{
	struct db_value values[MEMBER_QUERIES][MEMBERS + 2];
	struct db_query queries[MEMBER_QUERIES];
	struct db_rows *rows[MEMBER_QUERIES];
	guint needed = (count + MEMBERS - 1) / MEMBERS;

	for (guint i = 0; i < needed; i++) {
		values[i][0] = db_id(webhook);
		for (guint j = 0; j < MEMBERS; j++)
			values[i][1 + j] = db_id(&members[MIN(i * MEMBERS + j, count - 1)]);
		values[i][1 + MEMBERS] = db_id(batch);
		queries[i] =
		    (struct db_query){sql[BATCH_MEMBERS], values[i], G_N_ELEMENTS(values[i])};
	}
	if (needed > 0 && !db_select_together(db, queries, needed, rows, error))
		return NULL;
	g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(struct store_delivery));
	for (guint i = 0; i < needed; i++)
		claim_read_deliveries(rows[i], found);
	db_rows_free_all(rows, needed);
	return order(found, members, count);
}

GArray *
store_webhook_batch(
    struct db *db, const struct base_id *webhook, const struct base_id *batch, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[BATCH], DB_VALUES(db_id(webhook), db_id(batch)), error);
	gsize size = 0;

	if (!rows)
		return NULL;
	const struct base_id *members =
	    db_rows_next(rows) ? db_rows_bytes(rows, DB_ROWS_ONLY, &size) : NULL;
	guint count = (guint)MIN(size / sizeof(*members), LIMIT_WEBHOOK_BATCH);
	return claim_read_members(db, webhook, batch, members, count, error);
}

bool
store_webhook_batch_make(struct db *db, const struct store_webhook_state *webhook,
    const struct base_id *batch, const struct store_delivery *deliveries, guint count,
    GError **error)
{
	g_autofree struct base_id *members = g_new(struct base_id, count);
	g_autofree struct db_value *values = g_new(struct db_value, 3 * (gsize)count);

	for (guint i = 0; i < count; i++) {
		members[i] = deliveries[i].id;
		values[3 * i] = db_id(batch);
		values[3 * i + 1] = db_id(&webhook->id);
		values[3 * i + 2] = db_id(&deliveries[i].id);
	}
	return db_defer(db, sql[ADD_BATCH],
		   DB_VALUES(db_id(&webhook->id), db_id(batch), db_id(&webhook->workspace_id),
		       db_bytes(members, count * sizeof(*members))),
		   1, error) &&
	       db_defer(db, sql[SET_BATCH], values, 3, count, error);
}

bool
store_webhook_batch_end(
    struct db *db, const struct base_id *webhook, const struct base_id *batch, GError **error)
{
	return db_defer(db, sql[REMOVE_BATCH], DB_VALUES(db_id(webhook), db_id(batch)), 1, error);
}

#define RESULT_COLUMNS 8
#define ATTEMPT_COLUMNS 9

static void
claim_fill_result(const struct base_id *webhook, const struct store_webhook_result *result,
    struct db_value *values)
{
	const struct store_delivery *delivery = result->delivery;

	values[0] = db_int(delivery->made + 1);
	values[1] = db_int(result->status);
	values[2] = db_int(result->attempts);
	values[3] = db_int_or_null(result->next_attempt);
	values[4] = db_id(result->stays ? &delivery->batch_id : NULL);
	values[5] = db_id(webhook);
	values[6] = db_id(&delivery->id);
	values[7] = db_int_or_null(delivery->next_attempt);
}

static void
fill_attempt(const struct base_id *workspace, const struct base_id *webhook,
    const struct store_webhook_result *result, struct db_value *values)
{
	const struct store_attempt *attempt = result->attempt;

	values[0] = db_id(webhook);
	values[1] = db_id(&result->delivery->id);
	values[2] = db_int(result->delivery->made + 1);
	values[3] = db_id(workspace);
	values[4] = db_int(attempt->timestamp);
	values[5] = db_int_or_null(attempt->status);
	values[6] = db_int(attempt->duration);
	values[7] = db_text(attempt->body);
	values[8] = db_text(attempt->error);
}

bool
store_webhook_results(struct db *db, const struct base_id *workspace, const struct base_id *webhook,
    const struct store_webhook_result *results, guint count, GError **error)
{
	g_autofree struct db_value *updates = g_new(struct db_value, RESULT_COLUMNS * (gsize)count);
	g_autofree struct db_value *attempts =
	    g_new(struct db_value, ATTEMPT_COLUMNS * (gsize)count);
	g_autofree struct db_value *made = g_new(struct db_value, 3 * (gsize)count);
	guint64 affected = 0;

	for (guint i = 0; i < count; i++) {
		claim_fill_result(webhook, &results[i], &updates[RESULT_COLUMNS * i]);
		fill_attempt(workspace, webhook, &results[i], &attempts[ATTEMPT_COLUMNS * i]);
		made[3 * i] = db_int(results[i].delivery->made + 1);
		made[3 * i + 1] = db_id(webhook);
		made[3 * i + 2] = db_id(&results[i].delivery->id);
	}
	if (!db_run_rows(db, sql[SET_RESULT], updates, RESULT_COLUMNS, count, &affected, error))
		return false;
	if (affected < count && !db_run_rows(db, sql[COUNT_ATTEMPT], made, 3, count, NULL, error))
		return false;
	return db_run_rows(db, sql[ADD_ATTEMPT], attempts, ATTEMPT_COLUMNS, count, NULL, error);
}

bool
store_webhook_delivery(struct db *db, const struct base_id *webhook, const struct base_id *id,
    struct store_delivery *delivery_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[ONE], DB_VALUES(db_id(webhook), db_id(id)), error);
	g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(struct store_delivery));

	if (!rows)
		return false;
	claim_read_deliveries(rows, found);
	if (found->len == 0)
		return base_fail(error, PH_ERROR_NOT_FOUND, "Delivery not found");
	*delivery_r = g_array_index(found, struct store_delivery, 0);
	return true;
}
