/* Starts the workflows that an event triggers, and lets go what waits for it. */
#include "automation/intake.h"

#include "automation/design.h"
#include "automation/library.h"
#include "automation/node.h"
#include "automation/step.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/core.h"
#include "db/connection.h"
#include "store/automation_contact.h"
#include "store/automation_feedback.h"
#include "store/execution_write.h"
#include "store/workflow_trigger.h"

/* An error of a key that is taken is no error here: *taken_r. */
static bool
unless_taken(
    struct core *core, bool done, const char *key, bool *taken_r, GError *failure, GError **error)
{
	*taken_r = false;
	if (done)
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT) &&
	    db_cause_is_key(core->db, key)) {
		*taken_r = true;
		g_error_free(failure);
		return true;
	}
	g_propagate_error(error, failure);
	return false;
}

static bool
enter(struct core *core, const struct intake *intake, const struct target *target, bool first,
    bool *taken_r, GError **error)
{
	const struct workflow_entry entry = {
	    .workspace = &intake->contact->workspace_id,
	    .workflow = &target->workflow_id,
	    .contact = &intake->contact->id,
	    .event_name = intake->name,
	    .time = intake->time,
	    .first = first,
	};
	GError *failure = NULL;
	bool done = store_workflow_trigger_enter(core->db, &entry, &failure);

	return unless_taken(core, done, "PRIMARY", taken_r, failure, error);
}

static bool
insert(struct core *core, const struct intake *intake, const struct target *target,
    const struct design_node *node, bool exclusive, bool *taken_r, GError **error)
{
	gint64 now = base_clock_now();
	const struct execution execution = {
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
	GError *failure = NULL;
	bool done = store_execution_insert(core->db, &execution, exclusive, &failure);

	return unless_taken(core, done, "exclusive", taken_r, failure, error);
}

/* The key decides between two that come at once; that one is running which came in by a version
   with another rule the key does not know. */
static bool
start_after_finish(struct core *core, const struct intake *intake, const struct target *target,
    const struct design_node *node, GError **error)
{
	bool taken;

	if (!store_execution_runs(
		core->db, &target->workflow_id, &intake->contact->id, &taken, error))
		return false;
	if (taken)
		return true;
	return insert(core, intake, target, node, true, &taken, error) &&
	       (taken || enter(core, intake, target, false, &taken, error));
}

static bool
start(struct core *core, const struct intake *intake, const struct target *target,
    const struct design_node *node, GError **error)
{
	bool taken;

	switch (node->trigger.reentry) {
	case REENTRY_AFTER_FINISH:
		return start_after_finish(core, intake, target, node, error);
	case REENTRY_ONCE:
		if (target->last_event)
			return true;
		return enter(core, intake, target, true, &taken, error) &&
		       (taken || insert(core, intake, target, node, false, &taken, error));
	default:
		return enter(core, intake, target, false, &taken, error) &&
		       insert(core, intake, target, node, false, &taken, error);
	}
}

struct tally {
	guint matched, held;
};

/* Emails start neither the workflow that sent them nor, one after the other, more than so many. */
static bool
is_barred(const struct intake *intake, const struct target *target)
{
	return intake->sent && (base_id_equal(&intake->sent->workflow_id, &target->workflow_id) ||
				   intake->sent->depth + 1 >= LIMIT_WORKFLOW_CHAIN);
}

static bool
trigger(struct core *core, const struct intake *intake, const struct target *target,
    const struct design *design, struct tally *tally, GError **error)
{
	const struct node_trigger *rule = automation_design_trigger(design);

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
	return start(core, intake, target, automation_design_start(design), error);
}

static bool
release(struct core *core, const struct intake *intake, const struct target *target,
    const struct design *design, GError **error)
{
	const struct design_node *node = automation_design_node(design, target->step_id);
	bool released;

	if (!node ||
	    !automation_step_releases(
		node, intake->name, intake->properties, intake->contact_properties) ||
	    !automation_step_in_time(target->step_time, target->wait_until, intake->time))
		return true;
	return store_execution_release(
	    core->db, &target->execution_id, intake->time, &released, error);
}

bool
automation_intake(
    struct core *core, const struct intake *intake, bool *deduplicated_r, GError **error)
{
	const struct automation_contact *contact = intake->contact;
	g_autoptr(GArray) targets = store_workflow_trigger_targets(
	    core->db, &contact->workspace_id, &contact->id, intake->name, error);
	struct tally tally = {0, 0};

	if (!targets)
		return false;
	for (guint i = 0; i < targets->len; i++) {
		const struct target *target = &g_array_index(targets, struct target, i);
		const struct volume *volume =
		    automation_library_get(core, &target->workflow_id, target->version, error);

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
