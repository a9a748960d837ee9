/* SPDX-License-Identifier: MIT */
/* Gathers the rows of the people whom a start begins. */
#include "automation/begun.h"

#include "automation/contact.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/automation/execution.h"
#include "store/automation/workflow.h"

struct automation_begun {
	GArray *executions; /* struct store_execution */
	GArray *entries;    /* struct store_workflow_entry */
	GArray *events;	    /* struct store_automation_event */
	GPtrArray *seen;    /* struct automation_locked_contact */
	GStringChunk *keys;
	bool is_exclusive;
};

struct automation_begun *
automation_begun_new(void)
{
	struct automation_begun *begun = g_new0(struct automation_begun, 1);

	begun->executions = g_array_new(FALSE, FALSE, sizeof(struct store_execution));
	begun->entries = g_array_new(FALSE, FALSE, sizeof(struct store_workflow_entry));
	begun->events = g_array_new(FALSE, FALSE, sizeof(struct store_automation_event));
	begun->seen = g_ptr_array_new();
	begun->keys = g_string_chunk_new(256);
	return begun;
}

void
automation_begun_free(struct automation_begun *begun)
{
	g_array_unref(begun->executions);
	g_array_unref(begun->entries);
	g_array_unref(begun->events);
	g_ptr_array_unref(begun->seen);
	g_string_chunk_free(begun->keys);
	g_free(begun);
}

void
automation_begun_execution(
    struct automation_begun *begun, const struct store_execution *execution, bool is_exclusive)
{
	struct store_execution row = *execution;

	if (row.key)
		row.key = g_string_chunk_insert(begun->keys, row.key);
	begun->is_exclusive = is_exclusive;
	g_array_append_val(begun->executions, row);
}

void
automation_begun_entry(struct automation_begun *begun, const struct store_workflow_entry *entry)
{
	g_array_append_vals(begun->entries, entry, 1);
}

void
automation_begun_event(struct automation_begun *begun, const struct store_automation_event *event)
{
	g_array_append_vals(begun->events, event, 1);
}

void
automation_begun_seen(struct automation_begun *begun, struct automation_locked_contact *locked)
{
	g_ptr_array_add(begun->seen, locked);
}

bool
automation_begun_store(
    const struct automation_begun *begun, struct service *service, GError **error)
{
	struct db *db = service->db;

	return automation_locked_contact_store_seen(db,
		   (struct automation_locked_contact *const *)begun->seen->pdata, begun->seen->len,
		   error) &&
	       store_workflow_trigger_enter(db,
		   (const struct store_workflow_entry *)(void *)begun->entries->data,
		   begun->entries->len, error) &&
	       store_execution_insert(db,
		   (const struct store_execution *)(void *)begun->executions->data,
		   begun->executions->len, begun->is_exclusive, error) &&
	       store_automation_event_insert(db,
		   (const struct store_automation_event *)(void *)begun->events->data,
		   begun->events->len, error);
}
