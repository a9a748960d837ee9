/* SPDX-License-Identifier: MIT */
/* Records the events that clients send, and dispatches each event to the workflows. */
#include "automation/event.h"

#include <string.h>

#include "automation/contact.h"
#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/event_name.h"
#include "automation/node.h"
#include "automation/step.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/contact.h"
#include "core/core.h"
#include "core/submit.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "json/value.h"
#include "json/writer.h"
#include "store/automation_contact.h"
#include "store/automation_event.h"
#include "store/automation_feedback.h"
#include "store/execution.h"
#include "store/idempotency.h"
#include "store/workflow.h"

static bool
enter(struct core *core, const struct automation_recorded_event *recorded,
    const struct store_target *target, bool first, GError **error)
{
	const struct store_workflow_entry entry = {
	    .workspace = &recorded->contact->workspace_id,
	    .workflow = &target->workflow_id,
	    .contact = &recorded->contact->id,
	    .event_name = recorded->name,
	    .time = recorded->time,
	    .first = first,
	};

	recorded->contact->entered = true;
	return store_workflow_trigger_enter(core->db, &entry, error);
}

static bool
insert(struct core *core, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_design_node *node, bool exclusive,
    GError **error)
{
	gint64 now = base_clock_now();
	const struct store_execution execution = {
	    .id = base_id_new(),
	    .workspace_id = recorded->contact->workspace_id,
	    .workflow_id = target->workflow_id,
	    .contact_id = recorded->contact->id,
	    .event_id = *recorded->event_id,
	    .email = recorded->contact->email,
	    .version = target->version,
	    .status = EXECUTION_IN_PROGRESS,
	    .step_id = (char *)node->id,
	    .step_count = 1,
	    .step_time = recorded->time,
	    .ready_at = recorded->time,
	    .depth = recorded->sent ? recorded->sent->depth + 1 : 0,
	    .created = now,
	    .updated = now,
	};

	return store_execution_insert(core->db, &execution, exclusive, error);
}

static bool
start_after_finish(struct core *core, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_design_node *node, GError **error)
{
	bool runs;

	if (!store_execution_runs(
		core->db, &target->workflow_id, &recorded->contact->id, &runs, error))
		return false;
	return runs || (insert(core, recorded, target, node, true, error) &&
			   enter(core, recorded, target, false, error));
}

/* The contact's lock protects the rows that were read. If another transaction changed them all the
   same, the unique keys of entries and executions fail this transaction, and the event is recorded
   again. */
static bool
start(struct core *core, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_design_node *node, GError **error)
{
	switch (node->trigger.reentry) {
	case REENTRY_AFTER_FINISH:
		return start_after_finish(core, recorded, target, node, error);
	case REENTRY_ONCE:
		return target->last_event ||
		       (enter(core, recorded, target, true, error) &&
			   insert(core, recorded, target, node, false, error));
	default:
		return enter(core, recorded, target, false, error) &&
		       insert(core, recorded, target, node, false, error);
	}
}

/* The triggers that matched the event, and those of them that the dedupe window held back. */
struct match_count {
	guint matched, held;
};

/* Returns whether an event about an email must not start the workflow: the workflow sent the email
   itself, or the chain of workflows that start each other has reached its limit. */
static bool
is_barred(const struct automation_recorded_event *recorded, const struct store_target *target)
{
	return recorded->sent &&
	       (base_id_equal(&recorded->sent->workflow_id, &target->workflow_id) ||
		   recorded->sent->depth + 1 >= LIMIT_WORKFLOW_CHAIN);
}

/* *first_r: false for a repeated open or click of the same email, which starts the workflow only
   once. */
static bool
is_first(struct core *core, const struct automation_recorded_event *recorded,
    const struct store_target *target, bool *first_r, GError **error)
{
	*first_r = true;
	return (recorded->status != EVENT_OPENED && recorded->status != EVENT_CLICKED) ||
	       store_workflow_trigger_open(core->db, &recorded->contact->workspace_id,
		   &target->workflow_id, &recorded->sent->email_id, recorded->status, first_r,
		   error);
}

static bool
trigger(struct core *core, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_design *design,
    struct match_count *match_count, GError **error)
{
	const struct automation_node_trigger *rule = automation_design_trigger(design);

	if (!rule || is_barred(recorded, target) ||
	    !automation_step_matches(
		rule, recorded->name, recorded->properties, recorded->contact_properties, NULL))
		return true;
	match_count->matched++;
	if (automation_step_is_duplicate(
		rule, target->last_event, target->last_time, recorded->name, recorded->time)) {
		match_count->held++;
		return true;
	}
	bool first;
	return is_first(core, recorded, target, &first, error) &&
	       (!first || start(core, recorded, target, automation_design_start(design), error));
}

static bool
release(struct core *core, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_design *design, GError **error)
{
	const struct automation_design_node *node = automation_design_node(design, target->step_id);

	if (!node ||
	    !automation_step_releases(
		node, recorded->name, recorded->properties, recorded->contact_properties) ||
	    !automation_step_in_time(target->step_time, target->wait_until, recorded->time))
		return true;
	return store_execution_release(core->db, &target->execution_id, recorded->time, error);
}

bool
automation_event_dispatch(struct core *core, const struct automation_recorded_event *recorded,
    bool *deduplicated_r, GError **error)
{
	struct match_count match_count = {0, 0};

	for (guint i = 0; i < recorded->targets->len; i++) {
		const struct store_target *target =
		    &g_array_index(recorded->targets, struct store_target, i);

		automation_design_cache_trim(core);
		const struct automation_cached_design *cached =
		    automation_design_cache_get(core, &target->workflow_id, target->version, error);

		if (!cached)
			return false;
		if (cached->design &&
		    !(target->is_wait
			    ? release(core, recorded, target, cached->design, error)
			    : trigger(core, recorded, target, cached->design, &match_count, error)))
			return false;
	}
	*deduplicated_r = match_count.matched > 0 && match_count.held == match_count.matched;
	return true;
}

#define TRIES 3

/* A client's event while it is recorded, and its answer. */
struct request {
	struct core *core;
	const struct base_id *workspace;
	const struct automation_event_input *input;
	struct store_idempotency *idempotency;
	char *name, *address, *properties;
	struct automation_event_answer *answer;
	bool maybe_recorded; /* a COMMIT with this answer had no reply */
};

static char *
answer_of(const struct automation_event_answer *answer)
{
	AUTO(json_writer) writer = json_writer_new();
	char id[ID_TEXT_SIZE], time[CLOCK_ISO_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "status", answer->deduplicated ? "deduplicated" : "processed");
	json_writer_string(writer, "event_id", base_id_format(&answer->event_id, id));
	json_writer_string(writer, "timestamp", base_clock_format(answer->timestamp, time));
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static bool
insert_event(
    struct request *request, const struct store_automation_contact *contact, GError **error)
{
	const struct store_automation_event event = {
	    .id = request->answer->event_id,
	    .workspace_id = *request->workspace,
	    .contact_id = contact->id,
	    .name = request->name,
	    .timestamp = request->answer->timestamp,
	    .properties = request->properties,
	    .created = contact->updated,
	};
	const struct store_automation_event *const events[] = {&event};

	return store_automation_event_insert(request->core->db, events, 1, error);
}

static bool
dispatch(struct request *request, const struct automation_locked_contact *locked,
    const GArray *targets, GError **error)
{
	const struct automation_recorded_event recorded = {
	    .contact = locked->contact,
	    .contact_properties = locked->properties,
	    .event_id = &request->answer->event_id,
	    .name = request->name,
	    .properties = request->input->properties,
	    .time = request->answer->timestamp,
	    .targets = targets,
	};

	return automation_event_dispatch(
	    request->core, &recorded, &request->answer->deduplicated, error);
}

static bool
keep_answer(struct request *request, GError **error)
{
	struct store_idempotency *key = request->idempotency;

	g_free(request->answer->text);
	request->answer->text = answer_of(request->answer);
	if (!key)
		return true;
	key->status = 200;
	key->answer = request->answer->text;
	bool taken = store_idempotency_take(request->core->db, key, base_clock_now(), error);
	key->answer = NULL;
	return taken;
}

/* After a COMMIT without a reply, finds out whether it stored the event. We hold the contact's
   lock, so the earlier transaction has ended either way. A new contact has no row to lock: then the
   unique key of the address stops one of the two transactions. */
static bool
is_recorded(struct request *request, bool *there_r, GError **error)
{
	*there_r = false;
	return !request->maybe_recorded ||
	       store_automation_event_there(request->core->db, request->workspace,
		   &request->answer->event_id, there_r, error);
}

/* Sets the event's time and id. The clock is read under the contact's lock, and times of one
   contact are all different, so no event is older than a decision that was made without it. An
   event of a new contact whose first COMMIT had no reply keeps its time and id:
   1. The first transaction may still be running, and both insert the contact.
   2. The later of the two fails on the unique key of the address, and runs again.
   3. is_recorded then finds the event of the other by its id. */
static void
set_time_and_id(struct request *request, const struct automation_locked_contact *locked, gint64 now)
{
	if (request->maybe_recorded && locked->is_new)
		return;
	request->answer->timestamp = MAX(now, locked->contact->last_seen + 1);
	request->answer->event_id = base_id_at(request->answer->timestamp);
}

static bool
record_event(struct db *db, void *context, GError **error)
{
	struct request *request = context;
	g_autoptr(GArray) targets = NULL;
	AUTO(automation_locked_contact)
	locked = automation_locked_contact_lock_for(request->core, request->workspace,
	    request->address, request->input->email, request->name, &targets, error);
	bool there;

	if (!locked || !is_recorded(request, &there, error))
		return false;
	if (there)
		return true;
	gint64 now = base_clock_now();
	set_time_and_id(request, locked, now);
	return automation_locked_contact_merge(locked, request->input->properties, error) &&
	       dispatch(request, locked, targets, error) &&
	       automation_locked_contact_store_event(
		   locked, request->name, request->answer->timestamp, now, error) &&
	       insert_event(request, locked->contact, error) && keep_answer(request, error);
}

/* Records the event. Runs the transaction again when another request inserted the same contact, or
   another row of a unique key, at the same time, and when a COMMIT had no reply. */
static bool
record_with_retries(struct request *request, GError **error)
{
	struct core *core = request->core;

	for (guint tries = 1;; tries++) {
		g_autoptr(GError) local = NULL;

		if (db_transact(core->db, record_event, request, &local))
			return true;
		bool raced = g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT) &&
			     db_cause(core->db) == DB_CAUSE_DUPLICATE;
		bool lost = g_error_matches(local, PH_ERROR, PH_ERROR_UNCERTAIN);
		request->maybe_recorded |= lost;
		if (tries < TRIES && (raced || (lost && core_ensure(core, NULL))))
			continue;
		if (request->maybe_recorded && !g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT))
			local->code = PH_ERROR_UNCERTAIN;
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
}

static bool
replay(struct request *request, bool must, GError **error)
{
	struct core_submit_answer answer;

	if (!core_submit_replay(request->core, request->idempotency, &answer, error))
		return false;
	if (must && !answer.text) {
		g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT,
		    "A request with this Idempotency-Key is still in progress");
		return false;
	}
	if (!answer.text)
		return true;
	g_free(request->answer->text);
	*request->answer = (struct automation_event_answer){.text = answer.text, .replayed = true};
	return true;
}

static bool
record_or_replay(struct request *request, GError **error)
{
	g_autoptr(GError) local = NULL;

	if (request->idempotency && !replay(request, false, error))
		return false;
	if (request->answer->replayed || record_with_retries(request, &local))
		return true;
	if (request->idempotency && g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT))
		return replay(request, true, error);
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

static bool
check(struct request *request, GError **error)
{
	const struct automation_event_input *input = request->input;

	request->name = automation_event_name("event_name", input->name, error);
	if (!request->name)
		return false;
	if (automation_event_name_reserved(request->name)) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "event_name must not begin with " EVENT_NAME_RESERVED);
		return false;
	}
	request->address = core_contact_address(input->email, error);
	if (!request->address)
		return false;
	request->properties = input->properties ? json_print(input->properties) : g_strdup("{}");
	if (strlen(request->properties) <= LIMIT_EVENT_PROPERTIES_BYTES)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "properties must be at most %d bytes",
	    LIMIT_EVENT_PROPERTIES_BYTES);
	return false;
}

bool
automation_event_record(struct core *core, const struct base_id *workspace,
    const struct automation_event_input *input, struct store_idempotency *idempotency,
    struct automation_event_answer *answer_r, GError **error)
{
	struct request request = {.core = core,
	    .workspace = workspace,
	    .input = input,
	    .idempotency = idempotency,
	    .answer = answer_r};

	*answer_r = (struct automation_event_answer){0};
	automation_design_cache_trim(core);
	bool done = check(&request, error) && record_or_replay(&request, error);
	if (!done)
		g_clear_pointer(&answer_r->text, g_free);
	g_free(request.name);
	g_free(request.address);
	g_free(request.properties);
	return done;
}
