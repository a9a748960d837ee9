/* SPDX-License-Identifier: MIT */
/* Gathers the rows of the people whom a start begins, and takes the first steps of their
   executions, which are then stored once, where they wait. */
#include "automation/begun.h"

#include "automation/batch.h"
#include "automation/contact.h"
#include "automation/execution_step.h"
#include "base/clock.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/automation/execution.h"
#include "store/automation/workflow.h"
#include "store/person/person.h"

struct automation_begun {
	struct json *event;
	GPtrArray *executions; /* struct store_execution_claimed */
	GPtrArray *contacts;   /* struct automation_locked_contact, of each execution */
	GArray *entries;       /* struct store_workflow_entry */
	GArray *events;	       /* struct store_automation_event */
	GArray *told;	       /* struct base_id, of people */
	GStringChunk *keys;
	bool is_exclusive;
};

static GPtrArray *
begun_list(void)
{
	return g_ptr_array_new_with_free_func(store_execution_claimed_destroy);
}

struct automation_begun *
automation_begun_new(struct json *event)
{
	struct automation_begun *begun = g_new0(struct automation_begun, 1);

	begun->event = event;
	begun->executions = begun_list();
	begun->contacts = g_ptr_array_new();
	begun->entries = g_array_new(FALSE, FALSE, sizeof(struct store_workflow_entry));
	begun->events = g_array_new(FALSE, FALSE, sizeof(struct store_automation_event));
	begun->told = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	begun->keys = g_string_chunk_new(256);
	return begun;
}

void
automation_begun_free(struct automation_begun *begun)
{
	g_ptr_array_unref(begun->executions);
	g_ptr_array_unref(begun->contacts);
	g_array_unref(begun->entries);
	g_array_unref(begun->events);
	g_array_unref(begun->told);
	g_string_chunk_free(begun->keys);
	g_free(begun);
}

void
automation_begun_execution(struct automation_begun *begun, const struct store_execution *execution,
    struct automation_locked_contact *locked, bool is_exclusive)
{
	struct store_execution_claimed *row = g_new0(struct store_execution_claimed, 1);

	row->execution = *execution;
	row->execution.email = g_strdup(execution->email);
	row->execution.step_id = g_strdup(execution->step_id);
	if (execution->key)
		row->execution.key = g_string_chunk_insert(begun->keys, execution->key);
	begun->is_exclusive = is_exclusive;
	g_ptr_array_add(begun->executions, row);
	g_ptr_array_add(begun->contacts, locked);
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
automation_begun_told(struct automation_begun *begun, const struct base_id *person)
{
	g_array_append_vals(begun->told, person, 1);
}

static bool
begun_store_executions(struct automation_begun *begun, struct service *service, GError **error)
{
	GPtrArray *executions = g_steal_pointer(&begun->executions);

	begun->executions = begun_list();
	AUTO(automation_batch) batch = automation_batch_new(service, base_clock_now(), executions);
	batch->is_of_start = true;
	for (guint i = 0; begun->event && i < executions->len; i++)
		if (!automation_execution_begin(batch, executions->pdata[i],
			begun->contacts->pdata[i], begun->event, error))
			return false;
	return automation_batch_insert(batch, begun->is_exclusive, error);
}

bool
automation_begun_store(struct automation_begun *begun, struct service *service,
    const struct store_person_told *told, GError **error)
{
	struct db *db = service->db;

	return store_person_told(db, told, begun->told, error) &&
	       store_workflow_trigger_enter(db,
		   (const struct store_workflow_entry *)(void *)begun->entries->data,
		   begun->entries->len, error) &&
	       begun_store_executions(begun, service, error) &&
	       store_automation_event_insert(db,
		   (const struct store_automation_event *)(void *)begun->events->data,
		   begun->events->len, error);
}
