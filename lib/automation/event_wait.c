/* SPDX-License-Identifier: MIT */
/* Looks whether executions still wait for their events. */
#include "automation/event_wait.h"

#include <string.h>

#include "automation/batch.h"
#include "automation/event_name.h"
#include "automation/node.h"
#include "automation/locked_contact.h"
#include "core/core.h"
#include "json/strict.h"
#include "store/automation_event_write.h"
#include "store/automation_feedback.h"
#include "store/execution_wait.h"

#define LOOK_AGAIN_MS 1000

struct wait {
	struct automation_batch *batch;
	const struct store_execution *execution;
	const struct automation_design_node *node;
	const struct automation_locked_contact *person;
	gint64 until;
};

/* The first event of the contact that came while the execution waited and releases it: its time; 0:
   there is none. */
static bool
look_back(const struct wait *wait, gint64 *time_r, GError **error)
{
	const struct store_execution *e = wait->execution;

	*time_r = 0;
	if (wait->person->contact->last_seen <= e->step_time)
		return true;
	g_autoptr(GPtrArray) events = store_automation_event_between(wait->batch->core->db,
	    &e->contact_id, wait->node->wait_event.event_name, e->step_time, wait->until, error);
	if (!events)
		return false;
	for (guint i = 0; i < events->len && *time_r == 0; i++) {
		const struct store_automation_event *event = events->pdata[i];
		AUTO(json)
		properties =
		    json_parse_as("properties", event->properties, strlen(event->properties), NULL);

		if (automation_step_in_time(e->step_time, wait->until, event->timestamp) &&
		    automation_step_releases(
			wait->node, event->name, properties, wait->person->properties))
			*time_r = event->timestamp;
	}
	return true;
}

/* What became of an email may still be in the queue: the timeout is not taken before it has been
   looked at. */
static bool
is_feedback_pending(const struct wait *wait, bool *pending_r, GError **error)
{
	const char *name = wait->node->wait_event.event_name;

	*pending_r = false;
	if (!automation_event_name_reserved(name))
		return true;
	enum store_event_status status = store_event_status(name + strlen(EVENT_NAME_RESERVED));
	return status == EVENT_NONE ||
	       store_automation_feedback_pending(wait->batch->core->db,
		   &wait->execution->contact_id, status, wait->until, pending_r, error);
}

bool
automation_event_wait_look(struct automation_batch *batch, const struct store_execution *execution,
    const struct automation_design_node *node, const struct automation_locked_contact *person,
    gint64 until, struct automation_event_wait_state *state_r, GError **error)
{
	const struct wait wait = {batch, execution, node, person, until};
	bool pending = false;
	gint64 time;

	if (!look_back(&wait, &time, error))
		return false;
	bool timeout = !time && until && until <= batch->now;
	if (timeout && !is_feedback_pending(&wait, &pending, error))
		return false;
	*state_r = (struct automation_event_wait_state){
	    .over = time || (timeout && !pending),
	    .how = time ? LEAVE_EVENT : LEAVE_TIMEOUT,
	    .time = time ? time : until,
	    .look_at = pending ? batch->now + LOOK_AGAIN_MS : until,
	};
	return true;
}

void
automation_event_wait_note(const struct store_execution *execution,
    const struct automation_design_node *node, GArray *waits)
{
	const struct store_execution_wait wait = {
	    .workspace = &execution->workspace_id,
	    .contact = &execution->contact_id,
	    .execution = &execution->id,
	    .event_name = node->wait_event.event_name,
	};

	g_array_append_val(waits, wait);
}
