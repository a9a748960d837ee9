/* SPDX-License-Identifier: MIT */
/* Stores and reads the steps that executions have left. */
#include "store/automation/execution_step.h"

#include <string.h>

#include "db/columns.h"
#include "db/statement.h"
#include "store/automation/execution.h"

#define STEP_COLUMNS(FIRST, NEXT)                                                                  \
	FIRST(sequence, "sequence")                                                                \
	NEXT(step_id, "step_id")                                                                   \
	NEXT(type, "type")                                                                         \
	NEXT(entered, "entered")                                                                   \
	NEXT(left, "left_at")                                                                      \
	NEXT(branch, "branch")                                                                     \
	NEXT(why, "why")                                                                           \
	NEXT(email_id, "email_id", has_email)                                                      \
	NEXT(wait_until, "wait_until")
#define COLUMNS DB_COLUMNS_SQL(STEP_COLUMNS) ", skipped"
/* The column of COLUMNS behind those of the list. */
/* The columns of GIVEN. */
enum { GIVEN_STEP, GIVEN_TEXT };
enum { STEP_SKIPPED = DB_COLUMNS_END(STEP_COLUMNS) };

enum { INSERT, LIST, GIVEN };
static const char *const sql[] = {
    [INSERT] = "INSERT INTO execution_step (execution_id, sequence, workspace_id, step_id, type,"
	       " entered, left_at, skipped, branch, why, email_id, wait_until, given)"
	       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LIST] = "SELECT " COLUMNS " FROM execution_step WHERE execution_id = ? AND workspace_id = ?"
	     " AND sequence >= ? AND sequence <= ? ORDER BY sequence LIMIT ?",
    [GIVEN] = "SELECT step_id, given FROM execution_step WHERE execution_id = ?"
	      " AND workspace_id = ? AND given IS NOT NULL ORDER BY sequence",
};

#define INSERT_COLUMNS 13

void
store_execution_step_free(struct store_execution_step *step)
{
	g_free(step->step_id);
	g_free(step->type);
	g_free(step->branch);
	g_free(step->why);
	g_free(step->error);
	g_free(step->given);
	g_free(step);
}

static void
execution_step_set_row(struct db_value *row, const struct store_execution_step *step)
{
	const struct db_value values[INSERT_COLUMNS] = {db_id(&step->execution_id),
	    db_int(step->sequence), db_id(&step->workspace_id), db_text(step->step_id),
	    db_text(step->type), db_int(step->entered), db_int(step->left),
	    db_int(step->result == RESULT_SKIPPED), db_text(step->branch), db_text(step->why),
	    db_id(step->has_email ? &step->email_id : NULL), db_int_or_null(step->wait_until),
	    db_text(step->given)};

	memcpy(row, values, sizeof(values));
}

bool
store_execution_step_insert(
    struct db *db, const struct store_execution_step *steps, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);

	for (guint i = 0; i < count; i++)
		execution_step_set_row(values + (gsize)INSERT_COLUMNS * i, &steps[i]);
	return db_defer(db, sql[INSERT], values, INSERT_COLUMNS, count, error);
}

DB_COLUMNS_MAKER(execution_step_make, struct store_execution_step, STEP_COLUMNS)

static struct store_execution_step *
execution_step_read_row(struct db_rows *rows)
{
	struct store_execution_step *step = execution_step_make(rows);

	step->result = db_rows_int(rows, STEP_SKIPPED) ? RESULT_SKIPPED : RESULT_DONE;
	return step;
}

GPtrArray *
store_execution_step_list(struct db *db, const struct store_execution *execution, guint after,
    guint limit, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST],
	    DB_VALUES(db_id(&execution->id), db_id(&execution->workspace_id), db_int(after + 1),
		db_int(execution->step_count), db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *steps = g_ptr_array_new_with_free_func(store_execution_step_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(steps, execution_step_read_row(rows));
	return steps;
}

static void
execution_step_free_given(gpointer data)
{
	struct store_execution_given *given = data;

	g_free(given->step_id);
	g_free(given->given);
	g_free(given);
}

GPtrArray *
store_execution_step_given(
    struct db *db, const struct base_id *workspace, const struct base_id *execution, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GIVEN], DB_VALUES(db_id(execution), db_id(workspace)), error);

	if (!rows)
		return NULL;
	GPtrArray *all = g_ptr_array_new_with_free_func(execution_step_free_given);
	while (db_rows_next(rows)) {
		struct store_execution_given *given = g_new(struct store_execution_given, 1);

		given->step_id = g_strdup(db_rows_text(rows, GIVEN_STEP));
		given->given = g_strdup(db_rows_text(rows, GIVEN_TEXT));
		g_ptr_array_add(all, given);
	}
	return all;
}
