/* SPDX-License-Identifier: MIT */
/* Starts the workflows that an event triggers, and lets go what waits for it. */
#include "automation/intake.h"

#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/node.h"
#include "automation/step.h"
#include "base/clock.h"
#include "base/limits.h"
#include "core/core.h"
#include "store/automation_contact.h"
#include "store/automation_feedback.h"
#include "store/execution_write.h"
#include "store/workflow_trigger.h"

static bool
enter(struct core *core, const struct automation_intake *intake, const struct store_target *target,
    bool first, GError **error)
{
	const struct store_workflow_entry entry = {
	    .workspace = &intake->contact->workspace_id,
	    .workflow = &target->workflow_id,
	    .contact = &intake->contact->id,
	    .event_name = intake->name,
	    .time = intake->time,
	    .first = first,
	};

	intake->contact->entered = true;
	return store_workflow_trigger_enter(core->db, &entry, error);
}

static bool
insert(struct core *core, const struct automation_intake *intake, const struct store_target *target,
    const struct automation_design_node *node, bool exclusive, GError **error)
{
	gint64 now = base_clock_now();
	const struct store_execution execution = {
	    .id = base_id_new(),
	    .workspace_id = intake->contact->workspace_id,
	    .workflow_id = target->workflow_id,
	    .contact_id = intake->contact->id,
	    .event_id = *intake->event_id,
	    .email = intake->contact->email,
	    .version = target->version,
	    .status = EXECUTION_IN_PROGRESS,
	    .step_id = (char *)node->id,
	    .step_count = 1,
	    .step_time = intake->time,
	    .ready_at = intake->time,
	    .depth = intake->sent ? intake->sent->depth + 1 : 0,
	    .created = now,
	    .updated = now,
	};

	return store_execution_insert(core->db, &execution, exclusive, error);
}

static bool
start_after_finish(struct core *core, const struct automation_intake *intake,
    const struct store_target *target, const struct automation_design_node *node, GError **error)
{
	bool runs;

	if (!store_execution_runs(
		core->db, &target->workflow_id, &intake->contact->id, &runs, error))
		return false;
	return runs || (insert(core, intake, target, node, true, error) &&
			   enter(core, intake, target, false, error));
}

/* The contact's lock keeps what was read from changing; where it should not, the keys of entries
   and executions refuse the whole event, and it is taken in anew. */
static bool
start(struct core *core, const struct automation_intake *intake, const struct store_target *target,
    const struct automation_design_node *node, GError **error)
{
	switch (node->trigger.reentry) {
	case REENTRY_AFTER_FINISH:
		return start_after_finish(core, intake, target, node, error);
	case REENTRY_ONCE:
		return target->last_event || (enter(core, intake, target, true, error) &&
						 insert(core, intake, target, node, false, error));
	default:
		return enter(core, intake, target, false, error) &&
		       insert(core, intake, target, node, false, error);
	}
}

struct tally {
	guint matched, held;
};

/* Emails start neither the workflow that sent them nor, one after the other, more than so many. */
static bool
is_barred(const struct automation_intake *intake, const struct store_target *target)
{
	return intake->sent && (base_id_equal(&intake->sent->workflow_id, &target->workflow_id) ||
				   intake->sent->depth + 1 >= LIMIT_WORKFLOW_CHAIN);
}

/* The opens of an email, or the clicks, start a workflow once, however many they are. */
static bool
is_first(struct core *core, const struct automation_intake *intake,
    const struct store_target *target, bool *first_r, GError **error)
{
	*first_r = true;
	return (intake->status != EVENT_OPENED && intake->status != EVENT_CLICKED) ||
	       store_workflow_trigger_open(core->db, &intake->contact->workspace_id,
		   &target->workflow_id, &intake->sent->email_id, intake->status, first_r, error);
}

static bool
trigger(struct core *core, const struct automation_intake *intake,
    const struct store_target *target, const struct automation_design *design, struct tally *tally,
    GError **error)
{
	const struct automation_node_trigger *rule = automation_design_trigger(design);

	if (!rule || is_barred(intake, target) ||
	    !automation_step_matches(
		rule, intake->name, intake->properties, intake->contact_properties, NULL))
		return true;
	tally->matched++;
	if (automation_step_is_duplicate(
		rule, target->last_event, target->last_time, intake->name, intake->time)) {
		tally->held++;
		return true;
	}
	bool first;
	return is_first(core, intake, target, &first, error) &&
	       (!first || start(core, intake, target, automation_design_start(design), error));
}

static bool
release(struct core *core, const struct automation_intake *intake,
    const struct store_target *target, const struct automation_design *design, GError **error)
{
	const struct automation_design_node *node = automation_design_node(design, target->step_id);

	if (!node ||
	    !automation_step_releases(
		node, intake->name, intake->properties, intake->contact_properties) ||
	    !automation_step_in_time(target->step_time, target->wait_until, intake->time))
		return true;
	return store_execution_release(core->db, &target->execution_id, intake->time, error);
}

bool
automation_intake(
    struct core *core, const struct automation_intake *intake, bool *deduplicated_r, GError **error)
{
	struct tally tally = {0, 0};

	for (guint i = 0; i < intake->targets->len; i++) {
		const struct store_target *target =
		    &g_array_index(intake->targets, struct store_target, i);

		automation_design_cache_trim(core);
		const struct automation_cached_design *volume =
		    automation_design_cache_get(core, &target->workflow_id, target->version, error);

		if (!volume)
			return false;
		if (volume->design &&
		    !(target->is_wait
			    ? release(core, intake, target, volume->design, error)
			    : trigger(core, intake, target, volume->design, &tally, error)))
			return false;
	}
	*deduplicated_r = tally.matched > 0 && tally.held == tally.matched;
	return true;
}
