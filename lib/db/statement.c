/* SPDX-License-Identifier: MIT */
/* Runs statements: for one row, for many rows, for their result, or deferred. */
#include "db/statement.h"

#include <mysql.h>
#include <poll.h>
#include <string.h>

#include "base/array.h"
#include "db/compound.h"
#include "db/deferred.h"
#include "db/execute.h"
#include "db/handle.h"
#include "db/precondition.h"
#include "db/prefetch.h"
#include "db/retry.h"

/* Runs the deferred statements, which come before the next one. */
static bool
statement_prepare(struct db *db, GError **error)
{
	return db_handle_ready(db, error) && db_deferred_run(db, error) &&
	       db_handle_clear(db, error);
}

/* Runs queries in one round trip. The first statement of a transaction brings START TRANSACTION; if
   it fails, the transaction may or may not be open, so the next statement brings it again. */
static MYSQL_STMT *
statement_run(struct db *db, struct db_compound compound, db_execute_failed failed, GError **error)
{
	if (!statement_prepare(db, error))
		return NULL;
	g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(struct db_value));
	if (db->on->in_transaction && !db->on->begun)
		compound.parts |= DB_COMPOUND_BEGINS;
	const char *sql = db_compound_build(db, db->guard, &compound, values);
	AUTO(db_batch) batch = db_batch_new((struct db_value *)values->data, values->len, 1);
	db->on->touched |= db->on->in_transaction;
	MYSQL_STMT *statement = db_execute(db, sql, batch, failed, error);
	if (!statement)
		return NULL;
	db->on->begun = db->on->in_transaction;
	db_precondition_drop(db);
	return statement;
}

/* Prepares the connection for a statement that cannot be part of a compound statement: settles the
   guard and begins the transaction in round trips of their own. */
static bool
prepare_alone(struct db *db, GError **error)
{
	if (!statement_prepare(db, error) || !db_precondition_settle(db, error))
		return false;
	if (!db->on->in_transaction || db->on->begun)
		return true;
	db->on->touched = true;
	db->on->begun = db_handle_command(db, "START TRANSACTION", error);
	return db->on->begun;
}

/* A change, and the number of rows that it affects, if somebody asks. */
struct change {
	struct db_query query;
	gsize rows;
	guint64 *affected;
};

/* Runs a statement by itself. A compound statement does not return the number of affected rows, and
   cannot use array binding. */
static bool
run_alone(struct db *db, const struct change *change, GError **error)
{
	const struct db_query *query = &change->query;

	if (!prepare_alone(db, error))
		return false;
	AUTO(db_batch) batch = db_batch_new(query->values, query->count, change->rows);
	MYSQL_STMT *statement = db_execute(db, query->sql, batch, db_handle_doubted, error);
	if (!statement)
		return false;
	g_assert(mysql_stmt_field_count(statement) == 0);
	*change->affected += mysql_stmt_affected_rows(statement);
	return true;
}

static bool
run_once(struct db *db, const struct db_query *query, enum db_compound_parts parts, GError **error)
{
	MYSQL_STMT *statement = statement_run(
	    db, (struct db_compound){query, 1, parts, NULL}, db_handle_doubted, error);

	if (!statement)
		return false;
	g_assert(mysql_stmt_field_count(statement) == 0);
	return true;
}

static bool
statement_change_once(struct db *db, void *context, GError **error)
{
	const struct change *change = context;

	return change->affected ? run_alone(db, change, error)
				: run_once(db, &change->query, 0, error);
}

/* A change outside a transaction is a transaction by itself: it is run again like any other. */
static bool
statement_change(struct db *db, struct change change, GError **error)
{
	return db->on->in_transaction ? statement_change_once(db, &change, error)
				      : db_retry(db, statement_change_once, &change, error);
}

bool
db_run(struct db *db, const char *sql, const struct db_value *values, gsize count,
    guint64 *affected_r, GError **error)
{
	if (affected_r)
		*affected_r = 0;
	return statement_change(db, (struct change){{sql, values, count}, 1, affected_r}, error);
}

bool
db_run_compound(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error)
{
	const struct db_query query = {sql, values, count};

	return run_once(db, &query, DB_COMPOUND_ALWAYS, error);
}

bool
db_run_rows(struct db *db, const char *sql, const struct db_value *values, gsize columns,
    gsize rows, guint64 *affected_r, GError **error)
{
	guint64 affected = 0;

	if (rows == 1)
		return db_run(db, sql, values, columns, affected_r, error);
	while (rows > 0) {
		gsize some = db_batch_fill(values, columns, rows);
		if (!statement_change(
			db, (struct change){{sql, values, columns}, some, &affected}, error))
			return false;
		values += some * columns;
		rows -= some;
	}
	if (affected_r)
		*affected_r = affected;
	return true;
}

bool
db_defer(struct db *db, const char *sql, const struct db_value *values, gsize columns, gsize rows,
    GError **error)
{
	const struct db_query row = {sql, values, columns};
	bool taken = false;

	if (!db_handle_ready(db, error) ||
	    (db->on->in_transaction && !db_deferred_add(db, &row, rows, &taken, error)))
		return false;
	return taken || db_run_rows(db, sql, values, columns, rows, NULL, error);
}

bool
db_defer_row(
    struct db *db, const char *sql, const struct db_value *values, gsize columns, GError **error)
{
	return db_handle_ready(db, error) &&
	       ((db->on->in_transaction && db_deferred_join(db, sql, values, columns)) ||
		   db_defer(db, sql, values, columns, 1, error));
}

bool
db_defer_if(struct db *db, const struct db_query *fact, guint mask, const struct db_query *query,
    GError **error)
{
	const struct db_when when = {*fact, mask};

	g_assert(db->on->in_transaction);
	return db_handle_ready(db, error) && db_deferred_add_if(db, &when, query, error);
}

bool
db_run_deferred(struct db *db, GError **error)
{
	return db_handle_ready(db, error) && db_deferred_run(db, error);
}

/* Reads the end of a compound statement after its rows: success, or a late failure. */
static bool
end_compound(struct db *db, MYSQL_STMT *statement, const char *sql, GError **error)
{
	int more;

	while ((more = mysql_stmt_next_result(statement)) == 0)
		mysql_stmt_free_result(statement);
	return more < 0 || db_handle_failed(db, statement, sql, error);
}

static bool
read_each(struct db *db, MYSQL_STMT *statement, const char *sql, gsize count,
    struct db_rows **rows_r, GError **error)
{
	for (gsize i = 0; i < count; i++) {
		if (i > 0 && mysql_stmt_next_result(statement) != 0)
			return db_handle_failed(db, statement, sql, error);
		g_assert(mysql_stmt_field_count(statement) > 0);
		rows_r[i] = db_rows_read(db, statement, sql, 0, error);
		mysql_stmt_free_result(statement);
		if (!rows_r[i])
			return false;
	}
	return end_compound(db, statement, sql, error);
}

bool
db_select_together(struct db *db, const struct db_query *queries, gsize count,
    struct db_rows **rows_r, GError **error)
{
	if (count == 0)
		return true;
	MYSQL_STMT *statement = statement_run(
	    db, (struct db_compound){queries, count, 0, NULL}, db_handle_failed, error);

	base_array_clear(rows_r, count, sizeof(*rows_r));
	if (statement && read_each(db, statement, queries->sql, count, rows_r, error))
		return true;
	db_rows_free_all(rows_r, count);
	return false;
}

/* Ends the guard by what its column says, or by the row that it is joined with. */
static bool
statement_judge(struct db *db, const struct db_rows *rows, guint hidden, GError **error)
{
	if (db_rows_count(rows) == 0)
		return true;
	if (hidden == 0 || db_rows_hidden(rows)) {
		db_precondition_drop(db);
		return true;
	}
	db->on->failure = (struct db_failure){.cause = DB_CAUSE_DENIED};
	db->denied = true;
	return db_handle_ready(db, error);
}

/* Runs a text that db_compound_column has made, with one hidden column, or db_compound_join. */
static struct db_rows *
select_guarded(struct db *db, const char *sql, GArray *values, guint hidden, GError **error)
{
	AUTO(db_batch) batch = db_batch_new((struct db_value *)values->data, values->len, 1);
	MYSQL_STMT *statement = db_execute(db, sql, batch, db_handle_failed, error);

	if (!statement)
		return NULL;
	AUTO(db_rows) rows = db_rows_read(db, statement, sql, hidden, error);
	mysql_stmt_free_result(statement);
	return rows && statement_judge(db, rows, hidden, error) ? g_steal_pointer(&rows) : NULL;
}

static struct db_rows *
statement_select_rows(struct db *db, const struct db_query *query, bool joins, GError **error)
{
	g_autoptr(GArray) all = NULL;
	const char *text = NULL;
	struct db_rows *rows;

	if (db->guard && !db->on->in_transaction) {
		all = g_array_new(FALSE, FALSE, sizeof(struct db_value));
		text = joins ? db_compound_join(db, db->guard, query, all) : NULL;
		joins = text != NULL;
		text = text ? text : db_compound_column(db, db->guard, query, all);
	}
	if (text)
		return select_guarded(db, text, all, joins ? 0 : 1, error);
	return db_select_together(db, query, 1, &rows, error) ? rows : NULL;
}

struct db_rows *
db_select(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error)
{
	return statement_select_rows(db, &(struct db_query){sql, values, count}, false, error);
}

struct db_rows *
db_select_row(
    struct db *db, const char *sql, const struct db_value *values, gsize count, GError **error)
{
	return statement_select_rows(db, &(struct db_query){sql, values, count}, true, error);
}

struct db_rows *
db_select_prefetched(struct db *db, const struct db_prefetch *ahead, const char *sql,
    const struct db_value *values, gsize count, GError **error)
{
	const struct db_query query = {sql, values, count};
	struct db_rows *known =
	    db->guard || db->on->in_transaction ? NULL : db_prefetch_take(ahead, &query);

	if (!known)
		return db_select_row(db, sql, values, count, error);
	db->on->row_count += db_rows_count(known);
	return known;
}

struct db_prefetch *
db_select_ahead(struct db *db, const struct db_prefetch_form *form, const struct db_value *values,
    guint places, GError **error)
{
	AUTO(db_prefetch) ahead = db_prefetch_new(form, values, places);
	const struct db_query query = db_prefetch_query(ahead);
	guint64 before = db->on->row_count;
	struct db_rows *rows = statement_select_rows(db, &query, true, error);

	db->on->row_count = before; /* they count when they are taken */
	if (!rows)
		return NULL;
	db_prefetch_keep(ahead, rows);
	return g_steal_pointer(&ahead);
}

/* Waits without a time limit: changing a large table takes longer than the client library would
   wait. */
static void
statement_wait_for_answer(struct db *db)
{
	struct pollfd fd = {.fd = mysql_get_socket(db->on->mysql), .events = POLLIN};

	poll(&fd, 1, -1);
}

bool
db_run_plain(struct db *db, const char *sql, GError **error)
{
	if (!prepare_alone(db, error))
		return false;
	db_handle_wait(db, DB_ANSWER_S);
	if (mysql_send_query(db->on->mysql, sql, strlen(sql)) != 0)
		return db_handle_failed(db, NULL, sql, error);
	statement_wait_for_answer(db);
	if (mysql_read_query_result(db->on->mysql) != 0)
		return db_handle_doubted(db, NULL, sql, error);
	if (mysql_field_count(db->on->mysql) == 0)
		return true;
	MYSQL_RES *result = mysql_store_result(db->on->mysql);
	if (!result)
		return db_handle_failed(db, NULL, sql, error);
	mysql_free_result(result);
	return true;
}
