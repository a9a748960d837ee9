/* SPDX-License-Identifier: MIT */
#ifndef STORE_EXECUTION_ROW_H
#define STORE_EXECUTION_ROW_H

struct db_rows;
struct store_execution;

/* The columns of a statement that gives executions e, from the first on, and what they say. */
#define EXECUTION_COLUMNS                                                                          \
	"e.id, e.workspace_id, e.workflow_id, e.contact_id, e.event_id, e.email, e.version,"       \
	" e.status, e.step_id, e.step_count, e.step_time, e.ready_at, e.wait_until, e.released,"   \
	" e.attempts, e.depth, e.created, e.deaths"
#define EXECUTION_COLUMN_COUNT 18

/* The rest of execution_r stays as it is. */
void store_execution_read(struct db_rows *rows, struct store_execution *execution_r);

#endif
