/* SPDX-License-Identifier: MIT */
/* An execution as a row of its table has it. */
#include "store/execution_row.h"

#include "db/rows.h"
#include "store/execution.h"

void
store_execution_read(struct db_rows *rows, struct store_execution *e)
{
	db_rows_id(rows, 0, &e->id);
	db_rows_id(rows, 1, &e->workspace_id);
	db_rows_id(rows, 2, &e->workflow_id);
	db_rows_id(rows, 3, &e->contact_id);
	db_rows_id(rows, 4, &e->event_id);
	e->email = g_strdup(db_rows_text(rows, 5));
	e->version = (guint)db_rows_int(rows, 6);
	e->status = (enum store_execution_status)db_rows_int(rows, 7);
	e->step_id = g_strdup(db_rows_text(rows, 8));
	e->step_count = (guint)db_rows_int(rows, 9);
	e->step_time = db_rows_int(rows, 10);
	e->ready_at = db_rows_int(rows, 11);
	e->wait_until = db_rows_int(rows, 12);
	e->released = db_rows_int(rows, 13);
	e->attempts = (guint)db_rows_int(rows, 14);
	e->depth = (guint)db_rows_int(rows, 15);
	e->created = db_rows_int(rows, 16);
	e->deaths = (guint)db_rows_int(rows, 17);
}
