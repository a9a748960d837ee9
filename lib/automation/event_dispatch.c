/* SPDX-License-Identifier: MIT */
/* Dispatches an event to the workflows: it ends executions, releases waits and starts others. */
#include "automation/event_dispatch.h"

#include <string.h>

#include "automation/begun.h"
#include "automation/contact.h"
#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/ending.h"
#include "automation/held.h"
#include "automation/node.h"
#include "automation/results.h"
#include "automation/results_stored.h"
#include "automation/rules.h"
#include "automation/step.h"
#include "automation/watch.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/limits/workflow.h"
#include "json/strict.h"
#include "rule/event_name.h"
#include "rule/operator.h"
#include "rule/properties.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/automation/execution.h"
#include "store/automation/feedback.h"
#include "store/automation/keyed.h"
#include "store/automation/own.h"
#include "store/automation/workflow.h"
#include "store/person/person.h"
#include "store/webhook/enqueue.h"

/* An entry of the contact into a workflow: the last one, and the one that begins now. */
struct entry {
	const struct automation_design_node *node; /* the trigger */
	const char *last_event;			   /* NULL: there is none */
	gint64 last_time;
	bool runs;			/* of a keyed one: its execution is not finished */
	char *key;			/* NULL: the trigger has no key */
	guint8 hash[RULE_HASH_SIZE];	/* of its value */
	struct store_keyed_entry keyed; /* the last one by it */
	struct base_id execution_id;	/* of the new execution */
};

static void
entry_clear(struct entry *entry)
{
	g_free(entry->key);
	g_free(entry->keyed.event_name);
}

static bool
event_enter(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct entry *entry, bool first, GError **error)
{
	const struct automation_beginning *beginning = recorded->beginning;
	struct automation_begun *begun = beginning ? beginning->begun : NULL;
	const struct store_workflow_entry row = {
	    .workspace = &recorded->contact->workspace_id,
	    /* The target is the caller's, and a row that is gathered outlives it. */
	    .workflow = beginning ? beginning->workflow_id : &target->workflow_id,
	    .contact = &recorded->contact->id,
	    .event_name = recorded->name,
	    .time = recorded->time,
	    .first = first,
	};

	recorded->contact->entered = true;
	if (entry->key)
		return store_keyed_put(service->db, &row, entry->hash, &entry->execution_id, error);
	if (!begun)
		return store_workflow_trigger_enter(service->db, &row, 1, error);
	automation_begun_entry(begun, &row);
	return true;
}

static bool
event_insert_execution(struct db *db, const struct automation_recorded_event *recorded,
    const struct store_execution *execution, bool exclusive, GError **error)
{
	struct automation_begun *begun = recorded->beginning ? recorded->beginning->begun : NULL;

	store_execution_count_start(db, execution);
	if (!begun)
		return store_execution_insert(db, execution, 1, exclusive, error);
	automation_begun_execution(begun, execution, recorded->locked, exclusive);
	return true;
}

static bool
event_insert(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct entry *entry, bool exclusive, GError **error)
{
	gint64 now = base_clock_now();
	struct automation_beginning *beginning = recorded->beginning;
	struct store_execution execution = {
	    .id = entry->execution_id,
	    .workspace_id = recorded->contact->workspace_id,
	    .workflow_id = target->workflow_id,
	    .contact_id = recorded->contact->id,
	    .event_id = *recorded->event_id,
	    .email = recorded->contact->email,
	    .version = target->version,
	    .status = EXECUTION_IN_PROGRESS,
	    .step_id = (char *)entry->node->id,
	    .step_count = 1,
	    .step_time = recorded->time,
	    .ready_at = recorded->time,
	    .depth = recorded->sent ? recorded->sent->depth + 1 : 0,
	    .key = entry->key,
	    .created = now,
	    .updated = now,
	};

	if (beginning) {
		beginning->execution_id = execution.id;
		execution.has_start = beginning->start_id != NULL;
		if (beginning->start_id)
			execution.start_id = *beginning->start_id;
	}
	return event_insert_execution(
		   service->db, recorded, &execution, exclusive && !entry->key, error) &&
	       automation_watch_begin(service->db, &execution, recorded->time,
		   entry->node->trigger.endings, recorded->properties, error);
}

static bool
start_after_finish(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct entry *entry, GError **error)
{
	bool runs = entry->runs;

	if (!entry->key && !store_execution_runs(service->db, &target->workflow_id,
			       &recorded->contact->id, &runs, error))
		return false;
	return runs || (event_insert(service, recorded, target, entry, true, error) &&
			   event_enter(service, recorded, target, entry, false, error));
}

/* The contact's lock protects the rows that were read. If another transaction changed them all the
   same, the unique keys of entries and executions fail this transaction, and the event is recorded
   again. */
static bool
event_start(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct entry *entry, GError **error)
{
	switch (entry->node->trigger.reentry) {
	case REENTRY_AFTER_FINISH:
		return start_after_finish(service, recorded, target, entry, error);
	case REENTRY_ONCE:
		return entry->last_event ||
		       (event_enter(service, recorded, target, entry, true, error) &&
			   event_insert(service, recorded, target, entry, false, error));
	default:
		return event_enter(service, recorded, target, entry, false, error) &&
		       event_insert(service, recorded, target, entry, false, error);
	}
}

/* The triggers that matched the event, those of them that the dedupe window held back, and those
   that may have started an execution of which a webhook is to hear. */
struct match_count {
	guint matched, held, announced;
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
is_first(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, bool *first_r, GError **error)
{
	*first_r = true;
	return (recorded->status != EVENT_OPENED && recorded->status != EVENT_CLICKED) ||
	       store_workflow_trigger_open(service->db, &recorded->contact->workspace_id,
		   &target->workflow_id, &recorded->sent->email_id, recorded->status, first_r,
		   error);
}

static struct automation_rules_scope
event_scope_of(const struct automation_recorded_event *recorded)
{
	return (struct automation_rules_scope){recorded->locked->properties, recorded->properties,
	    recorded->locked->fields, recorded->budget, recorded->properties,
	    recorded->locked->segments, NULL};
}

/* Finds whether an execution by the same value runs that was not the last one to begin: another
   version of the trigger may have let the person in each time. */
static bool
entry_find_running(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, struct entry *entry, GError **error)
{
	g_autoptr(GPtrArray) keys =
	    store_execution_keys(service->db, &target->workflow_id, &recorded->contact->id, error);

	for (guint i = 0; keys && i < keys->len && !entry->runs; i++) {
		AUTO(json) value = json_make_string(g_strdup(keys->pdata[i]));
		guint8 hash[RULE_HASH_SIZE];

		rule_operator_hash(value, hash);
		entry->runs = memcmp(hash, entry->hash, sizeof(hash)) == 0 ||
			      strcmp(keys->pdata[i], entry->key) == 0;
	}
	return keys != NULL;
}

/* Reads the last entry: what was read with the targets or, with a key, the one by its value. The
   caller clears it. */
static bool
entry_read(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_design *design,
    struct entry *entry_r, GError **error)
{
	const struct automation_rules_scope scope = event_scope_of(recorded);
	const struct automation_design_node *node = automation_design_start(design);
	const char *path = node->trigger.key;

	*entry_r = (struct entry){.node = node,
	    .last_event = target->last_event,
	    .last_time = target->last_time,
	    .execution_id = base_id_new()};
	if (!path)
		return true;
	const struct json *value = automation_rules_value(path, &scope);
	entry_r->key = automation_step_key(value);
	rule_operator_hash(value, entry_r->hash);
	if (!store_keyed_get(service->db, &target->workflow_id, &recorded->contact->id,
		entry_r->hash, &entry_r->keyed, error))
		return false;
	entry_r->last_event = entry_r->keyed.event_name;
	entry_r->last_time = entry_r->keyed.started;
	entry_r->runs = entry_r->keyed.runs;
	return entry_r->runs || !entry_r->last_event ||
	       node->trigger.reentry != REENTRY_AFTER_FINISH ||
	       entry_find_running(service, recorded, target, entry_r, error);
}

/* Whether rules of the goal or of an exit hold already. */
static bool
event_is_barred_by_rules(const struct automation_recorded_event *recorded,
    const struct automation_node_trigger *rule, bool *barred_r, GError **error)
{
	*barred_r = false;
	if (!rule->endings || !rule->endings->has_rules)
		return true;
	if (!automation_watch_read_segments(recorded->locked, rule->endings, error))
		return false;
	const struct automation_rules_scope scope = event_scope_of(recorded);
	*barred_r = automation_endings_bar(rule->endings, &scope);
	return true;
}

static bool
event_trigger_entry(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct entry *entry, struct match_count *match_count,
    GError **error)
{
	bool first;

	match_count->matched++;
	if (!rule_event_name_is_own(recorded->name) &&
	    automation_step_is_duplicate(&entry->node->trigger, entry->last_event, entry->last_time,
		recorded->name, recorded->time)) {
		match_count->held++;
		return true;
	}
	if (!is_first(service, recorded, target, &first, error))
		return false;
	match_count->announced += first && target->is_told;
	return !first || event_start(service, recorded, target, entry, error);
}

static bool
trigger(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_design *design,
    struct match_count *match_count, GError **error)
{
	const struct automation_node_trigger *rule = automation_design_trigger(design);
	struct entry entry;
	bool barred;

	if (!rule || is_barred(recorded, target))
		return true;
	if (!automation_locked_contact_read_segments(recorded->locked, rule->filter, error))
		return false;
	const struct automation_rules_scope scope = event_scope_of(recorded);
	if (!automation_step_matches(rule, recorded->name, &scope, NULL))
		return true;
	if (!event_is_barred_by_rules(recorded, rule, &barred, error))
		return false;
	if (barred)
		return true;
	bool done = entry_read(service, recorded, target, design, &entry, error) &&
		    event_trigger_entry(service, recorded, target, &entry, match_count, error);
	entry_clear(&entry);
	return done;
}

/* Reads the properties of the event that started an execution, where its wait compares with them;
   else, or where the event is gone, *started_r is NULL. */
static bool
event_read_started(struct service *service, const struct automation_design_node *node,
    const struct base_id *execution, struct json **started_r, GError **error)
{
	g_autofree char *text = NULL;

	*started_r = NULL;
	if (!node || node->fault || node->type != NODE_WAIT_FOR_EVENT ||
	    !automation_rules_ask_started(node->wait_event.filter))
		return true;
	if (!store_automation_event_started(service->db, execution, &text, error))
		return false;
	*started_r = text ? json_parse_as("properties", text, strlen(text), NULL) : NULL;
	return true;
}

/* Finds the segments that the filter of a wait asks for. */
static bool
event_read_segments(const struct automation_recorded_event *recorded,
    const struct automation_design_node *node, GError **error)
{
	return !node || node->fault || node->type != NODE_WAIT_FOR_EVENT ||
	       automation_locked_contact_read_segments(
		   recorded->locked, node->wait_event.filter, error);
}

/* Reads the results of an execution's steps where the filter of its wait asks for them; else
 *results_r is NULL. */
static bool
event_read_results(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_design *design,
    struct automation_results **results_r, GError **error)
{
	const struct automation_design_node *node = automation_design_node(design, target->step_id);

	*results_r = NULL;
	if (!node || node->fault || node->type != NODE_WAIT_FOR_EVENT ||
	    !automation_rules_ask_results(node->wait_event.filter))
		return true;
	*results_r = automation_results_stored(
	    service, &recorded->contact->workspace_id, &target->execution_id, design, error);
	return *results_r != NULL;
}

static bool
event_release(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_design *design, GError **error)
{
	const struct automation_design_node *node = automation_design_node(design, target->step_id);
	AUTO(json) started = NULL;
	AUTO(automation_results) results = NULL;

	if (!event_read_started(service, node, &target->execution_id, &started, error) ||
	    !event_read_results(service, recorded, target, design, &results, error) ||
	    !event_read_segments(recorded, node, error))
		return false;
	struct automation_rules_scope scope = event_scope_of(recorded);
	scope.started = started;
	scope.results = results;
	if (!node || !automation_step_releases(node, recorded->name, &scope) ||
	    !automation_step_in_time(target->step_time, target->wait_until, recorded->time))
		return true;
	return store_execution_release(service->db, &target->execution_id, recorded->time, error);
}

/* Whether the event concerns a workflow. One by a key of a domain leaves others alone: it neither
   starts them nor ends their waits. */
static bool
concerns(struct service *service, const struct automation_recorded_event *recorded,
    const struct automation_design *design, bool *concerns_r, GError **error)
{
	*concerns_r = design != NULL;
	return !design || !recorded->only_domain ||
	       automation_held(service, &recorded->contact->workspace_id, design,
		   recorded->only_domain, concerns_r, error);
}

/* Reads the design of a target; *cached_r is NULL where the event does not concern it. */
static bool
event_design(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct automation_cached_design **cached_r,
    GError **error)
{
	bool is_concerned;

	*cached_r = NULL;
	automation_design_cache_trim(service);
	const struct automation_cached_design *cached =
	    automation_design_cache_get(service, &target->workflow_id, target->version, error);
	if (!cached || (cached->asks_fields &&
			   !automation_locked_contact_read_fields(recorded->locked, error)))
		return false;
	if (!concerns(service, recorded, cached->design, &is_concerned, error))
		return false;
	if (is_concerned)
		*cached_r = cached;
	return true;
}

/* Adds the executions that are found by the value of a property of the event. */
static bool
event_find_watching(
    struct service *service, const struct automation_recorded_event *recorded, GError **error)
{
	for (guint i = 0; i < recorded->targets->len; i++) {
		const struct store_target *target =
		    &g_array_index(recorded->targets, struct store_target, i);

		if (target->kind != TARGET_PROPERTY)
			continue;
		g_autofree char *property = g_strdup(target->property);
		struct store_watch watch = {.contact = &recorded->contact->id,
		    .event_name = recorded->name,
		    .property = property};
		rule_operator_hash(rule_properties_get(recorded->properties, property), watch.hash);
		if (!store_workflow_trigger_watching(service->db, &watch, recorded->targets, error))
			return false;
	}
	return true;
}

/* The targets of one kind, of executions that the event has not ended. */
static bool
event_dispatch_kind(struct service *service, const struct automation_recorded_event *recorded,
    enum store_target_kind kind, GHashTable *ended, struct match_count *match_count, GError **error)
{
	for (guint i = 0; i < recorded->targets->len; i++) {
		const struct store_target *target =
		    &g_array_index(recorded->targets, struct store_target, i);
		const struct automation_cached_design *cached;

		if (target->kind != kind || (kind != TARGET_WORKFLOW && g_hash_table_contains(ended,
									    &target->execution_id)))
			continue;
		if (!event_design(service, recorded, target, &cached, error))
			return false;
		if (!cached)
			continue;
		if (kind == TARGET_WORKFLOW
			? !trigger(service, recorded, target, cached->design, match_count, error)
		    : kind == TARGET_WAIT
			? !event_release(service, recorded, target, cached->design, error)
			: !automation_watch_end(service, recorded, target, cached, ended, error))
			return false;
	}
	return true;
}

/* An event first reaches goals, then ends by exits, then releases waits, then starts. */
bool
automation_event_dispatch(struct service *service, const struct automation_recorded_event *event,
    bool *deduplicated_r, GError **error)
{
	static const enum store_target_kind order[] = {
	    TARGET_GOAL, TARGET_EXIT, TARGET_WAIT, TARGET_WORKFLOW};
	g_autoptr(GHashTable) ended = automation_rules_segments_new();
	struct match_count match_count = {0};
	struct base_budget budget = {.begun = 0};
	struct automation_recorded_event own = *event;

	own.budget = &budget;
	if (!event_find_watching(service, &own, error))
		return false;
	for (guint i = 0; i < G_N_ELEMENTS(order); i++)
		if (!event_dispatch_kind(service, &own, order[i], ended, &match_count, error))
			return false;
	*deduplicated_r = match_count.matched > 0 && match_count.held == match_count.matched;
	return match_count.announced == 0 ||
	       store_webhook_enqueue_started(service->db, own.contact, own.event_id, error);
}

/* Whether the trigger's rules about re-entry hold the start back. */
static bool
is_held_by_reentry(const struct automation_beginning *beginning, const struct entry *entry)
{
	enum automation_reentry reentry = entry->node->trigger.reentry;
	bool runs = entry->key ? entry->runs : beginning->runs,
	     entered = entry->key ? entry->last_event != NULL : beginning->entered;

	return (reentry == REENTRY_AFTER_FINISH && runs) || (reentry == REENTRY_ONCE && entered);
}

static bool
event_begin_entry(struct service *service, const struct automation_recorded_event *recorded,
    const struct store_target *target, const struct entry *entry, GError **error)
{
	enum automation_reentry reentry = entry->node->trigger.reentry;

	if (is_held_by_reentry(recorded->beginning, entry)) {
		recorded->beginning->reason = START_REENTRY;
		return true;
	}
	recorded->beginning->reason = START_REASON_NONE;
	return event_enter(service, recorded, target, entry, reentry == REENTRY_ONCE, error) &&
	       event_insert(
		   service, recorded, target, entry, reentry == REENTRY_AFTER_FINISH, error);
}

static bool
event_begin(struct service *service, const struct automation_recorded_event *recorded,
    const struct automation_design *design, GError **error)
{
	struct automation_beginning *beginning = recorded->beginning;
	const struct automation_node_trigger *rule = automation_design_trigger(design);
	const struct store_target target = {
	    .workflow_id = *beginning->workflow_id, .version = beginning->version};
	struct entry entry;
	bool barred = false;

	beginning->reason = START_FILTER;
	if (!rule)
		return true;
	if (!automation_locked_contact_read_segments(recorded->locked, rule->filter, error))
		return false;
	const struct automation_rules_scope scope = event_scope_of(recorded);
	if (!automation_rules_hold(rule->filter, &scope, NULL))
		return true;
	if (!event_is_barred_by_rules(recorded, rule, &barred, error))
		return false;
	if (barred)
		return true;
	bool done = entry_read(service, recorded, &target, design, &entry, error) &&
		    event_begin_entry(service, recorded, &target, &entry, error);
	entry_clear(&entry);
	return done;
}

bool
automation_event_begin(
    struct service *service, const struct automation_recorded_event *event, GError **error)
{
	struct base_budget budget = {.begun = 0};
	struct automation_recorded_event own = *event;
	const struct automation_cached_design *cached = automation_design_cache_get(
	    service, event->beginning->workflow_id, event->beginning->version, error);

	own.budget = &budget;
	if (!cached ||
	    (cached->asks_fields && !automation_locked_contact_read_fields(event->locked, error)))
		return false;
	if (cached->design)
		return event_begin(service, &own, cached->design, error);
	event->beginning->reason = START_FILTER;
	return true;
}
