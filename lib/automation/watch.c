/* SPDX-License-Identifier: MIT */
/* Stores what executions watch for, and ends them by events. */
#include "automation/watch.h"

#include <string.h>

#include "automation/contact.h"
#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/ending.h"
#include "automation/node.h"
#include "automation/recorded.h"
#include "automation/results.h"
#include "automation/results_stored.h"
#include "automation/rules.h"
#include "base/clock.h"
#include "db/after_commit.h"
#include "json/strict.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/automation/execution.h"
#include "store/automation/execution_step.h"
#include "store/automation/watch.h"
#include "store/automation/workflow.h"
#include "store/person/person.h"

/* An execution that begins. */
struct watch_beginning {
	struct db *db;
	const struct store_execution *execution;
	gint64 until; /* of its goals; 0: as long as it runs */
	const struct json *started;
};

static bool
watch_add(const struct automation_condition *condition, bool is_goal,
    const struct json_place *place, void *context, GError **error)
{
	const struct watch_beginning *beginning = context;
	const struct store_execution *execution = beginning->execution;
	struct store_watch watch = {.workspace = &execution->workspace_id,
	    .contact = &execution->contact_id,
	    .execution = &execution->id,
	    .kind = is_goal ? WATCH_GOAL : WATCH_EXIT,
	    .event_name = condition->event_name ? condition->event_name : WATCH_EVERY,
	    .until = is_goal ? beginning->until : 0};

	if (condition->event_name)
		automation_rules_correlate(
		    condition->rules, beginning->started, NULL, &watch.property, watch.hash);
	return store_watch_insert(beginning->db, &watch, 1, error);
}

bool
automation_watch_begin(struct db *db, const struct store_execution *execution, gint64 time,
    const struct automation_endings *endings, const struct json *started, GError **error)
{
	struct watch_beginning beginning = {
	    db, execution, endings && endings->within ? time + endings->within : 0, started};

	return automation_endings_each(endings, watch_add, &beginning, error);
}

static bool
watch_read_segments_of(const struct automation_condition *condition, bool is_goal,
    const struct json_place *place, void *context, GError **error)
{
	return automation_locked_contact_read_segments(context, condition->rules, error);
}

bool
automation_watch_read_segments(struct automation_locked_contact *locked,
    const struct automation_endings *endings, GError **error)
{
	return automation_endings_each(endings, watch_read_segments_of, locked, error);
}

/* All that the conditions of an execution may ask for beside the event. */
struct watch_scope {
	struct json *started;
	struct automation_results *results;
};

static void
watch_scope_clear(struct watch_scope *scope)
{
	g_clear_pointer(&scope->started, json_free);
	g_clear_pointer(&scope->results, automation_results_free);
}

/* An execution whose endings an event may meet. */
struct watched {
	struct service *service;
	const struct automation_recorded_event *recorded;
	const struct store_target *target;
	const struct automation_cached_design *cached;
	const struct automation_endings *endings;
};

static bool
watch_scope_read(const struct watched *watched, struct watch_scope *scope_r, GError **error)
{
	struct service *service = watched->service;
	const struct store_target *target = watched->target;
	const struct automation_cached_design *cached = watched->cached;
	const struct base_id *workspace = &watched->recorded->contact->workspace_id;
	g_autofree char *text = NULL;

	*scope_r = (struct watch_scope){NULL};
	if (cached->asks_event &&
	    !store_automation_event_started(service->db, &target->execution_id, &text, error))
		return false;
	scope_r->started = text ? json_parse_as("properties", text, strlen(text), NULL) : NULL;
	if (!cached->asks_results)
		return true;
	scope_r->results = automation_results_stored(
	    service, workspace, &target->execution_id, cached->design, error);
	return scope_r->results != NULL;
}

/* *holds_r: one of the conditions holds, for the reason that is appended to why. */
static bool
watch_holds(const struct watched *watched, const GArray *conditions, bool *holds_r, GString *why,
    GError **error)
{
	const struct automation_recorded_event *recorded = watched->recorded;
	struct watch_scope own;
	bool done = watch_scope_read(watched, &own, error) &&
		    automation_watch_read_segments(recorded->locked, watched->endings, error);

	if (done) {
		const struct automation_rules_scope scope = {
		    .contact = recorded->locked->properties,
		    .event = recorded->properties,
		    .fields = recorded->locked->fields,
		    .budget = recorded->budget,
		    .started = own.started,
		    .segments = recorded->locked->segments,
		    .results = own.results};

		*holds_r = automation_endings_hold(conditions, recorded->name, &scope, why);
	}
	watch_scope_clear(&own);
	return done;
}

static void
watch_count_ended(void *status)
{
	service_metrics_add(METRIC_EXECUTIONS_ENDED, 1, status, NULL);
}

/* Stores the step at which the execution stood, which has the reason. */
static bool
watch_leave_step(const struct watched *watched, const char *why, GError **error)
{
	const struct automation_recorded_event *recorded = watched->recorded;
	const struct store_target *target = watched->target;
	const struct automation_design_node *node =
	    automation_design_node(watched->cached->design, target->step_id);
	const struct store_execution_step step = {
	    .execution_id = target->execution_id,
	    .workspace_id = recorded->contact->workspace_id,
	    .sequence = target->step_count,
	    .step_id = target->step_id,
	    .type = (char *)(node ? node->type_name : ""),
	    .entered = target->step_time,
	    .left = recorded->time,
	    .result = target->kind == TARGET_GOAL ? RESULT_DONE : RESULT_SKIPPED,
	    .why = (char *)why,
	    .wait_until = target->wait_until,
	};

	return store_execution_step_insert(watched->service->db, &step, 1, error);
}

static bool
watch_end(const struct watched *watched, GHashTable *ended, const char *why, GError **error)
{
	struct db *db = watched->service->db;
	const struct automation_recorded_event *recorded = watched->recorded;
	const struct store_target *target = watched->target;
	bool is_goal = target->kind == TARGET_GOAL, is_ended;
	const struct store_execution_end end = {
	    .id = target->execution_id,
	    .workspace_id = recorded->contact->workspace_id,
	    .workflow_id = target->workflow_id,
	    .is_goal = is_goal,
	    .goal_at = recorded->time,
	    .now = base_clock_now(),
	};

	if (is_goal &&
	    (watched->endings->goes_on || !store_execution_is_unfinished(target->status)))
		return store_execution_reach(db, &end, error);
	if (!store_execution_end(db, &end, &is_ended, error))
		return false;
	if (!is_ended)
		return true;
	g_hash_table_add(ended, g_memdup2(&target->execution_id, sizeof(target->execution_id)));
	db_after_commit(
	    db, watch_count_ended, g_strdup(is_goal ? "completed" : "cancelled"), g_free);
	return watch_leave_step(watched, why, error);
}

bool
automation_watch_end(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_cached_design *cached,
    GHashTable *ended, GError **error)
{
	const struct automation_node_trigger *trigger =
	    cached->design ? automation_design_trigger(cached->design) : NULL;
	const struct automation_endings *endings = trigger ? trigger->endings : NULL;
	bool is_goal = target->kind == TARGET_GOAL, holds = false,
	     runs = store_execution_is_unfinished(target->status);
	const struct base_id *const id[] = {&target->execution_id};

	/* The event that started the execution does not count, nor one from before. */
	if (!endings || recorded->time <= base_id_time(&target->event_id))
		return true;
	if (!runs && !target->until)
		return store_watch_end(service->db, id, 1, error);
	if (is_goal ? target->goal_at || (target->until && recorded->time >= target->until) : !runs)
		return true;
	const struct watched watched = {service, recorded, target, cached, endings};
	g_autoptr(GString) why = g_string_new(is_goal ? "goal: " : "exit: ");
	return watch_holds(
		   &watched, is_goal ? endings->goals : endings->exits, &holds, why, error) &&
	       (!holds || watch_end(&watched, ended, why->str, error));
}
