/* SPDX-License-Identifier: MIT */
/* Rules and events in the model of the engine: an event first reaches goals, then ends by exits,
   then releases waits, then starts. */
#include "tests/automation/journey_model.h"

#include <string.h>

static int
model_value(const struct journey_value *value, const struct model_scope *scope, int event)
{
	switch (value->path) {
	case PATH_EVENT_N:
		return event;
	case PATH_N:
		return scope->person->n;
	case PATH_PLAN:
		return scope->person->plan;
	default:
		return scope->results ? scope->results[value->node] : 0;
	}
}

static bool
model_rule_holds(const struct journey_rule *rule, const struct model_scope *scope)
{
	int left = model_value(&rule->left, scope, scope->event);
	int right = rule->is_var ? model_value(&rule->var, scope, scope->started) : rule->value;
	bool is_in = scope->person->plan == JOURNEY_SEGMENT_PLAN;

	switch (rule->operator) {
	case IS:
		return left && right && left == right;
	case IS_NOT:
		return !(left && right && left == right);
	case EXISTS:
		return left != 0;
	case IS_MISSING:
		return left == 0;
	case IS_IN:
		return is_in;
	default:
		return !is_in;
	}
}

bool
journey_hold(const struct journey_rules *rules, const struct model_scope *scope)
{
	guint held = 0;

	for (guint i = 0; i < rules->count; i++)
		held += model_rule_holds(&rules->rules[i], scope);
	return rules->count == 0 || (rules->is_any ? held > 0 : held == rules->count);
}

/* Whether one of the conditions holds. event: NULL for none. */
bool
journey_one_holds(const struct journey_condition *conditions, guint count,
    const struct model_event *event, const struct model_scope *scope)
{
	for (guint i = 0; i < count; i++) {
		struct model_scope own = *scope;

		if (conditions[i].event == JOURNEY_RULE)
			own.event = scope->started;
		else if (!event || conditions[i].event != event->event)
			continue;
		if (journey_hold(&conditions[i].rules, &own))
			return true;
	}
	return false;
}

bool
journey_rules_bar(
    const struct journey_condition *conditions, guint count, const struct model_scope *scope)
{
	return journey_one_holds(conditions, count, NULL, scope);
}

struct model_scope
journey_scope_of(const struct journey_model *model, const struct model_execution *e, int event)
{
	return (struct model_scope){&model->people[e->person], event, e->n, e->results};
}

static const struct model_entry *
model_last_entry(const struct journey_model *model, guint flow, guint person, int key)
{
	for (guint i = model->entries->len; i > 0; i--) {
		const struct model_entry *entry =
		    &g_array_index(model->entries, struct model_entry, i - 1);

		if (entry->flow == flow && entry->person == person && entry->key == key &&
		    entry->born == model->people[person].born)
			return entry;
	}
	return NULL;
}

static bool
model_has_running(const struct journey_model *model, guint flow, guint person, int key)
{
	for (guint i = 0; i < model->executions->len; i++) {
		const struct model_execution *e = model->executions->pdata[i];

		if (e->flow == flow && e->person == person && e->key == key && journey_runs(e) &&
		    e->born == model->people[person].born)
			return true;
	}
	return false;
}

/* By the minute at which they were made, flow, person. */
static gint
model_compare(gconstpointer a, gconstpointer b)
{
	const struct model_execution *x = *(const struct model_execution *const *)a,
				     *y = *(const struct model_execution *const *)b;

	if (x->created != y->created)
		return x->created < y->created ? -1 : 1;
	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	if (x->person != y->person)
		return x->person < y->person ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static void
model_begin_execution(
    struct journey_model *model, guint flow, const struct model_event *event, int key, gint64 now)
{
	struct model_execution *e = g_new0(struct model_execution, 1);
	const struct model_entry entry = {
	    flow, event->person, model->people[event->person].born, key, event->event, event->time};

	e->flow = flow;
	e->version = model->flows[flow].versions->len - 1;
	e->person = event->person;
	e->born = entry.born;
	e->number = model->executions->len;
	e->created = now;
	e->started = e->step_time = e->ready_at = event->time;
	e->event = event->event;
	e->n = event->n;
	e->key = key;
	e->count = 1;
	e->depth = event->cause == JOURNEY_NONE ? 0 : event->depth + 1;
	e->steps = g_string_new(NULL);
	g_ptr_array_add(model->executions, e);
	g_ptr_array_sort(model->executions, model_compare);
	g_array_append_val(model->entries, entry);
}

/* Starts the flow; NULL, or what holds it back. */
const char *
journey_enter(struct journey_model *model, guint flow, const struct model_event *event,
    bool is_client, gint64 now)
{
	const struct journey *journey = journey_active(model, flow);
	const struct model_scope scope = {&model->people[event->person], event->n, event->n, NULL};
	int key = journey->is_keyed ? event->n : 0;
	const struct model_entry *last = model_last_entry(model, flow, event->person, key);

	if (!journey_hold(&journey->filter, &scope) ||
	    journey_rules_bar(journey->goals, journey->goal_count, &scope) ||
	    journey_rules_bar(journey->exits, journey->exit_count, &scope))
		return "filter";
	if (is_client && last && last->event == event->event &&
	    ABS(event->time - last->time) < journey->window)
		return "window";
	if ((journey->reentry == ONLY_ONCE && last) ||
	    (journey->reentry == AFTER_FINISH &&
		model_has_running(model, flow, event->person, key)))
		return "reentry";
	model_begin_execution(model, flow, event, key, now);
	return NULL;
}

static void
model_reach_goals(struct journey_model *model, const struct model_event *event)
{
	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *e = model->executions->pdata[i];
		const struct journey *journey = journey_version(model, e);
		const struct model_scope scope = journey_scope_of(model, e, event->n);

		if (e->person != event->person || !journey_is_same(model, e->person, e->born) ||
		    event->time <= e->started || e->goal_at ||
		    (!journey_runs(e) && !journey->within) ||
		    (journey->within && event->time >= e->started + journey->within) ||
		    !journey_one_holds(journey->goals, journey->goal_count, event, &scope))
			continue;
		e->goal_at = event->time;
		if (journey_runs(e) && !journey->goes_on)
			journey_end(e, true, event->time);
	}
}

static void
model_exit_by(struct journey_model *model, const struct model_event *event)
{
	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *e = model->executions->pdata[i];
		const struct journey *journey = journey_version(model, e);
		const struct model_scope scope = journey_scope_of(model, e, event->n);

		if (e->person == event->person && journey_runs(e) && event->time > e->started &&
		    journey_one_holds(journey->exits, journey->exit_count, event, &scope))
			journey_end(e, false, event->time);
	}
}

bool
journey_releases(const struct journey_model *model, const struct model_execution *e,
    const struct model_event *event)
{
	const struct journey_node *node = &journey_version(model, e)->nodes[e->node];
	const struct model_scope scope = journey_scope_of(model, e, event->n);

	return node->type == TYPE_AWAIT && event->person == e->person &&
	       event->event == node->event && event->time > e->step_time &&
	       (!node->hours || event->time < e->step_time + node->hours * JOURNEY_HOUR) &&
	       journey_hold(&node->rules, &scope);
}

static void
model_release(struct journey_model *model, const struct model_event *event)
{
	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *e = model->executions->pdata[i];

		if (e->status != STATUS_WAITS || !journey_releases(model, e, event))
			continue;
		e->status = STATUS_GOES;
		e->released = e->ready_at = event->time;
		e->wait_until = 0;
		e->released_n = event->n;
	}
}

/* An event is recorded, of a client or from the queue. */
static void
model_record(
    struct journey_model *model, const struct model_event *event, bool is_client, gint64 now)
{
	model_reach_goals(model, event);
	model_exit_by(model, event);
	model_release(model, event);
	for (guint flow = 0; flow < JOURNEY_FLOWS; flow++) {
		const struct journey *journey = journey_active(model, flow);

		if (journey && journey->event == event->event && event->cause != (int)flow &&
		    (event->cause == JOURNEY_NONE || event->depth + 1 < CHAIN))
			journey_enter(model, flow, event, is_client, now);
	}
	g_array_append_val(model->events, *event);
}

void
journey_model_event(struct journey_model *model, guint person, enum journey_event name, int n,
    int plan, int day, gint64 now)
{
	const struct model_event event = {.event = name,
	    .person = person,
	    .n = n,
	    .time = journey_time(model, now),
	    .cause = JOURNEY_NONE,
	    .target = JOURNEY_NONE};
	const int values[] = {
	    n ? n : JOURNEY_NONE, plan ? plan : JOURNEY_NONE, day ? day : JOURNEY_NONE};

	journey_make(model, person);
	journey_change_person(model, person, values, now, NULL);
	model_record(model, &event, true, now);
	model->people[person].is_new = false;
}

void
journey_model_change(
    struct journey_model *model, guint person, int n, int plan, int day, gint64 now)
{
	const int values[] = {n, plan, day};

	journey_change_person(model, person, values, now, NULL);
}

void
journey_model_remove(struct journey_model *model, guint person, gint64 now)
{
	journey_forget(model, person);
}

/* Takes what is in the queue. Returns whether there was anything. */
bool
journey_take_queue(struct journey_model *model, gint64 now)
{
	guint count = model->queue.length;

	for (guint i = 0; i < count && model->queue.length > 0; i++) {
		struct model_event *event = g_queue_pop_head(&model->queue);

		if (event->target == JOURNEY_NONE)
			model_record(model, event, false, now);
		else if (journey_active(model, (guint)event->target))
			journey_enter(model, (guint)event->target, event, false, now);
		g_free(event);
	}
	return count > 0;
}
