/* SPDX-License-Identifier: MIT */
/* What an event starts, and what it lets go. All inside a transaction. */
#ifndef STORE_WORKFLOW_TRIGGER_H
#define STORE_WORKFLOW_TRIGGER_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct store_automation_contact;
struct db;
struct store_workflow;

/* Lets events of this name start the workflow, in its active version; and no event any more.
   CONFLICT when as many as may already start by events of this name. */
bool store_workflow_trigger_set(
    struct db *db, const struct store_workflow *workflow, const char *event_name, GError **error);
bool store_workflow_trigger_clear(struct db *db, const struct base_id *workflow, GError **error);

/* A workflow that the event may start, or an execution that waits for it. */
struct store_target {
	struct base_id workflow_id;
	guint version;
	bool is_wait;
	/* Of a workflow: when the contact last came into it, by which event; NULL when never. */
	char *last_event;
	gint64 last_time;
	/* Of an execution. */
	struct base_id execution_id;
	char *step_id;
	gint64 step_time, wait_until; /* 0 = no end */
};

/* All of them, of an event of this name of a contact that is locked, as an array of struct
   store_target. Workflows stay as they are until the transaction ends. The caller owns it. */
GArray *store_workflow_trigger_targets(struct db *db,
    const struct store_automation_contact *contact, const char *event_name, GError **error);

/* The same of the contact with this address, which is locked now, in place of
   store_automation_contact_lock. *contact_r is NULL when there is none; the caller frees it. */
GArray *store_workflow_trigger_lock(struct db *db, const struct base_id *workspace,
    const char *address, const char *event_name, struct store_automation_contact **contact_r,
    GError **error);

/* Notes that a contact comes into a workflow. CONFLICT, with first, when it has been in it before.
 * Put off (db_defer).
 */
struct store_workflow_entry {
	const struct base_id *workspace, *workflow, *contact;
	const char *event_name;
	gint64 time;
	bool first;
};
bool store_workflow_trigger_enter(
    struct db *db, const struct store_workflow_entry *entry, GError **error);

/* Inside a transaction: notes that opens or clicks (status) of an email start a workflow. *first_r:
   none has before; a unique key decides. */
bool store_workflow_trigger_open(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *email, int status, bool *first_r,
    GError **error);

#endif
