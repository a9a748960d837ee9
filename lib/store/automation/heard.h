/* SPDX-License-Identifier: MIT */
/* The names of events that Posthouse tells by itself and that the workflows of a workspace hear.
   Errors are those of db/statement.h. */
#ifndef STORE_AUTOMATION_HEARD_H
#define STORE_AUTOMATION_HEARD_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/automation/execution.h"

struct db;

/* A name that a version hears. */
struct store_heard {
	const char *event_name;	   /* in normal form */
	struct base_id segment_id; /* zeros: the event has none */
	bool is_trigger;    /* heard while the workflow is active; else while it has executions
			       that run, */
	gint64 goal_within; /* and so many ms after the start of the last one: a goal */
};

/* Whether the goal of a row of workflow_heard, under this name, still counts for an execution of
   the workflow. Ids of executions begin with their time. */
#define STORE_HEARD_GOAL(row)                                                                      \
	"(" row ".goal_within > 0 AND EXISTS (SELECT 1 FROM execution gx FORCE INDEX (workflow)"   \
	" WHERE gx.workflow_id = " row ".workflow_id AND gx.id >= UNHEX(RPAD(LPAD(HEX(FLOOR("      \
	"UNIX_TIMESTAMP(NOW(3)) * 1000) - " row ".goal_within), 12, '0'), 32, '0'))))"

/* Whether a row h of workflow_heard is heard now. */
#define STORE_HEARD_RUNS                                                                           \
	"(h.is_trigger = 1 OR (h.is_trigger = 0 AND EXISTS (SELECT 1 FROM execution hx FORCE "     \
	"INDEX (workflow_status)"                                                                  \
	" WHERE hx.workflow_id = h.workflow_id AND hx.status IN (" EXECUTION_IN_PROGRESS_SQL       \
	", " EXECUTION_WAITING_SQL ")))"                                                           \
	" OR (h.is_trigger = 0 AND " STORE_HEARD_GOAL("h") "))"

/* Whether a workspace hears a name. Takes two values: the workspace and the name. */
#define STORE_HEARD                                                                                \
	"EXISTS (SELECT 1 FROM workflow_heard h WHERE h.workspace_id = ? AND h.event_name = ?"     \
	" AND " STORE_HEARD_RUNS ")"

/* Inside a transaction that has locked the workflow: stores the names that the version hears which
   becomes active now (epoch ms), of struct store_heard. Those of earlier versions stay while
   executions run and goals count, but for their triggers; a trigger of the same name and segment
   keeps its time. A look at segments and dates that are new is due at once. */
bool store_heard_set(struct db *db, const struct base_id *workspace, const struct base_id *workflow,
    const GArray *heard, gint64 now, GError **error);

/* Likewise, when the workflow is not active any more: its trigger hears nothing. */
bool store_heard_clear_trigger(struct db *db, const struct base_id *workflow, GError **error);

/* Likewise, when it is paused: the trigger hears nothing, but goes on naming its segment. */
bool store_heard_pause(struct db *db, const struct base_id *workflow, GError **error);

/* Removes what a workflow hears that was deleted. */
bool store_heard_clear(struct db *db, const struct base_id *workflow, GError **error);

#endif
