/* SPDX-License-Identifier: MIT */
/* The model of the engine: it keeps all people, events and executions in lists, and looks through
   them from the beginning for each question. */
#include <string.h>

#include "tests/automation/journey.h"

#define MINUTE G_GINT64_CONSTANT(60000)
#define DAY_MS (24 * JOURNEY_HOUR)
#define AT_ONCE 50
#define CHAIN 5

struct model_person {
	bool is_there, is_subscribed, is_member;
	bool is_new; /* it has just been made, of which person.updated does not tell */
	int n, plan, day;
	struct base_id id;
	guint born; /* how many people there were before with this address */
};

struct model_event {
	enum journey_event event;
	guint person;
	int n;
	gint64 time;
	int cause; /* the flow whose step it comes of */
	guint depth;
	int target; /* the flow to which alone it is told */
};

struct model_execution {
	guint flow, version, person, born, number;
	gint64 created, started; /* the latter: the time of its event */
	enum journey_event event;
	int n, key;
	enum journey_status status;
	guint node, count, depth;
	gint64 step_time, ready_at, wait_until, released, goal_at;
	bool is_asked, is_answered;
	gint64 ask_at, answered_at;
	guint answer;
	char *failure; /* of the request, or of the execution */
	int results[JOURNEY_NODES];
	bool opens; /* a digest */
	int digest_key;
	guint digest_count;
	const char *how;
	GString *steps;
};

struct model_entry {
	guint flow, person, born;
	int key;
	enum journey_event event;
	gint64 time;
};

struct model_date {
	guint flow, person, born;
	int day;
};

struct model_start {
	guint flow, person;
	bool is_single, is_tick;
	gint64 scheduled;
	const char *status;
	guint people, started, filter, reentry;
};

struct model_flow {
	GArray *versions; /* of struct journey */
	bool is_paused;
	gint64 since; /* its trigger hears */
	gint64 tick;  /* the next one */
};

struct journey_model {
	gint64 begin, looked, last; /* the latter: the last time that model_time has given */
	struct model_person people[JOURNEY_PEOPLE];
	struct model_flow flows[JOURNEY_FLOWS];
	GArray *events;	       /* of struct model_event, recorded */
	GQueue queue;	       /* of struct model_event, not yet recorded */
	GPtrArray *executions; /* of struct model_execution */
	GArray *entries, *dates, *starts;
	guint mails;
};

static void
model_free_execution(void *data)
{
	struct model_execution *e = data;

	g_free(e->failure);
	g_string_free(e->steps, TRUE);
	g_free(e);
}

struct journey_model *
journey_model_new(gint64 begin)
{
	struct journey_model *model = g_new0(struct journey_model, 1);

	model->begin = begin;
	for (guint i = 0; i < JOURNEY_FLOWS; i++)
		model->flows[i].versions = g_array_new(FALSE, FALSE, sizeof(struct journey));
	for (guint i = 0; i < JOURNEY_PEOPLE; i++)
		model->people[i].is_subscribed = true;
	model->events = g_array_new(FALSE, FALSE, sizeof(struct model_event));
	g_queue_init(&model->queue);
	model->executions = g_ptr_array_new_with_free_func(model_free_execution);
	model->entries = g_array_new(FALSE, FALSE, sizeof(struct model_entry));
	model->dates = g_array_new(FALSE, FALSE, sizeof(struct model_date));
	model->starts = g_array_new(FALSE, FALSE, sizeof(struct model_start));
	return model;
}

void
journey_model_free(struct journey_model *model)
{
	for (guint i = 0; i < JOURNEY_FLOWS; i++)
		g_array_unref(model->flows[i].versions);
	g_queue_clear_full(&model->queue, g_free);
	g_array_unref(model->events);
	g_ptr_array_unref(model->executions);
	g_array_unref(model->entries);
	g_array_unref(model->dates);
	g_array_unref(model->starts);
	g_free(model);
}

/* A time in the minute that begins at now, after all others. */
static gint64
model_time(struct journey_model *model, gint64 now)
{
	return model->last = MAX(now, model->last + 1);
}

static const struct journey *
model_active(const struct journey_model *model, guint flow)
{
	const GArray *versions = model->flows[flow].versions;

	return versions->len == 0 || model->flows[flow].is_paused
		   ? NULL
		   : &g_array_index(versions, struct journey, versions->len - 1);
}

static const struct journey *
model_version(const struct journey_model *model, const struct model_execution *e)
{
	return &g_array_index(model->flows[e->flow].versions, struct journey, e->version);
}

static bool
model_runs(const struct model_execution *e)
{
	return e->status == STATUS_GOES || e->status == STATUS_WAITS;
}

/* Rules. */

struct model_scope {
	const struct model_person *person;
	int event, started; /* n of the events */
	const int *results; /* NULL: none */
};

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

static bool
model_hold(const struct journey_rules *rules, const struct model_scope *scope)
{
	guint held = 0;

	for (guint i = 0; i < rules->count; i++)
		held += model_rule_holds(&rules->rules[i], scope);
	return rules->count == 0 || (rules->is_any ? held > 0 : held == rules->count);
}

/* Whether one of the conditions holds. event: NULL for none. */
static bool
model_one_holds(const struct journey_condition *conditions, guint count,
    const struct model_event *event, const struct model_scope *scope)
{
	for (guint i = 0; i < count; i++) {
		struct model_scope own = *scope;

		if (conditions[i].event == JOURNEY_RULE)
			own.event = scope->started;
		else if (!event || conditions[i].event != event->event)
			continue;
		if (model_hold(&conditions[i].rules, &own))
			return true;
	}
	return false;
}

static bool
model_rules_bar(
    const struct journey_condition *conditions, guint count, const struct model_scope *scope)
{
	return model_one_holds(conditions, count, NULL, scope);
}

static struct model_scope
model_scope_of(const struct journey_model *model, const struct model_execution *e, int event)
{
	return (struct model_scope){&model->people[e->person], event, e->n, e->results};
}

/* Ends. */

static void
model_finish(struct model_execution *e, enum journey_status status, const char *how)
{
	e->status = status;
	e->how = how;
	e->ready_at = e->wait_until = e->released = 0;
	e->is_asked = e->is_answered = e->opens = false;
}

static void
model_leave(struct model_execution *e, gint64 time, const char *handle, bool is_skipped)
{
	g_string_append_printf(e->steps, " [%u n%u %s%s %" G_GINT64_FORMAT "]", e->count, e->node,
	    handle ? handle : "-", is_skipped ? " skipped" : "", time / MINUTE);
}

static void
model_end(struct model_execution *e, bool is_goal, gint64 time)
{
	model_leave(e, time, NULL, !is_goal);
	model_finish(e, is_goal ? STATUS_COMPLETED : STATUS_CANCELLED, is_goal ? "goal" : "exit");
}

/* People. */

/* The queue is in the order of times: the moment of a date may be long ago. */
static void
model_tell(struct journey_model *model, const struct model_event *event)
{
	GList *link = model->queue.tail;

	while (link && ((const struct model_event *)link->data)->time > event->time)
		link = link->prev;
	g_queue_insert_after(&model->queue, link, g_memdup2(event, sizeof(*event)));
}

static void
model_tell_change(
    struct journey_model *model, guint person, gint64 now, const struct model_execution *by)
{
	const struct model_event event = {.event = JOURNEY_UPDATED,
	    .person = person,
	    .time = model_time(model, now),
	    .cause = by ? (int)by->flow : JOURNEY_NONE,
	    .depth = by ? by->depth : 0,
	    .target = JOURNEY_NONE};

	if (!model->people[person].is_new)
		model_tell(model, &event);
}

static bool
model_set(int *place, int value)
{
	bool is_other = value != JOURNEY_NONE && *place != value;

	if (is_other)
		*place = value;
	return is_other;
}

static void
model_change_person(struct journey_model *model, guint person, const int values[3], gint64 now,
    const struct model_execution *by)
{
	struct model_person *p = &model->people[person];
	bool is_changed = model_set(&p->n, values[0]);

	is_changed |= model_set(&p->plan, values[1]);
	is_changed |= model_set(&p->day, values[2]);
	if (is_changed)
		model_tell_change(model, person, now, by);
}

static void
model_make(struct journey_model *model, guint person)
{
	struct model_person *p = &model->people[person];

	p->is_new = !p->is_there;
	p->is_there = true;
}

static bool
model_is_same(const struct journey_model *model, guint person, guint born)
{
	return model->people[person].is_there && model->people[person].born == born;
}

/* The person goes, with their executions. */
static void
model_forget(struct journey_model *model, guint person)
{
	struct model_person *p = &model->people[person];

	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *e = model->executions->pdata[i];

		if (e->person == person && e->born == p->born && model_runs(e))
			model_finish(e, STATUS_CANCELLED, "contact_deleted");
	}
	for (GList *link = model->queue.head, *next; link; link = next) {
		next = link->next;
		if (((struct model_event *)link->data)->person == person) {
			g_free(link->data);
			g_queue_delete_link(&model->queue, link);
		}
	}
	for (guint i = model->events->len; i > 0; i--)
		if (g_array_index(model->events, struct model_event, i - 1).person == person)
			g_array_remove_index(model->events, i - 1);
	*p = (struct model_person){.is_subscribed = p->is_subscribed, .born = p->born + 1};
}

/* Starting. */

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

		if (e->flow == flow && e->person == person && e->key == key && model_runs(e) &&
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
static const char *
model_enter(struct journey_model *model, guint flow, const struct model_event *event,
    bool is_client, gint64 now)
{
	const struct journey *journey = model_active(model, flow);
	const struct model_scope scope = {&model->people[event->person], event->n, event->n, NULL};
	int key = journey->is_keyed ? event->n : 0;
	const struct model_entry *last = model_last_entry(model, flow, event->person, key);

	if (!model_hold(&journey->filter, &scope) ||
	    model_rules_bar(journey->goals, journey->goal_count, &scope) ||
	    model_rules_bar(journey->exits, journey->exit_count, &scope))
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

/* Events. */

static void
model_reach_goals(struct journey_model *model, const struct model_event *event)
{
	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *e = model->executions->pdata[i];
		const struct journey *journey = model_version(model, e);
		const struct model_scope scope = model_scope_of(model, e, event->n);

		if (e->person != event->person || !model_is_same(model, e->person, e->born) ||
		    event->time <= e->started || e->goal_at ||
		    (!model_runs(e) && !journey->within) ||
		    (journey->within && event->time >= e->started + journey->within) ||
		    !model_one_holds(journey->goals, journey->goal_count, event, &scope))
			continue;
		e->goal_at = event->time;
		if (model_runs(e) && !journey->goes_on)
			model_end(e, true, event->time);
	}
}

static void
model_exit_by(struct journey_model *model, const struct model_event *event)
{
	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *e = model->executions->pdata[i];
		const struct journey *journey = model_version(model, e);
		const struct model_scope scope = model_scope_of(model, e, event->n);

		if (e->person == event->person && model_runs(e) && event->time > e->started &&
		    model_one_holds(journey->exits, journey->exit_count, event, &scope))
			model_end(e, false, event->time);
	}
}

static bool
model_releases(const struct journey_model *model, const struct model_execution *e,
    const struct model_event *event)
{
	const struct journey_node *node = &model_version(model, e)->nodes[e->node];
	const struct model_scope scope = model_scope_of(model, e, event->n);

	return node->type == TYPE_AWAIT && event->person == e->person &&
	       event->event == node->event && event->time > e->step_time &&
	       (!node->hours || event->time < e->step_time + node->hours * JOURNEY_HOUR) &&
	       model_hold(&node->rules, &scope);
}

static void
model_release(struct journey_model *model, const struct model_event *event)
{
	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *e = model->executions->pdata[i];

		if (e->status != STATUS_WAITS || !model_releases(model, e, event))
			continue;
		e->status = STATUS_GOES;
		e->released = e->ready_at = event->time;
		e->wait_until = 0;
		e->results[e->node] = event->n;
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
		const struct journey *journey = model_active(model, flow);

		if (journey && journey->event == event->event && event->cause != (int)flow &&
		    (event->cause == JOURNEY_NONE || event->depth + 1 < CHAIN))
			model_enter(model, flow, event, is_client, now);
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
	    .time = model_time(model, now),
	    .cause = JOURNEY_NONE,
	    .target = JOURNEY_NONE};
	const int values[] = {
	    n ? n : JOURNEY_NONE, plan ? plan : JOURNEY_NONE, day ? day : JOURNEY_NONE};

	model_make(model, person);
	model_change_person(model, person, values, now, NULL);
	model_record(model, &event, true, now);
	model->people[person].is_new = false;
}

void
journey_model_change(
    struct journey_model *model, guint person, int n, int plan, int day, gint64 now)
{
	const int values[] = {n, plan, day};

	model_change_person(model, person, values, now, NULL);
}

void
journey_model_remove(struct journey_model *model, guint person, gint64 now)
{
	model_forget(model, person);
}

/* Takes what is in the queue. Returns whether there was anything. */
static bool
model_take_queue(struct journey_model *model, gint64 now)
{
	guint count = model->queue.length;

	for (guint i = 0; i < count && model->queue.length > 0; i++) {
		struct model_event *event = g_queue_pop_head(&model->queue);

		if (event->target == JOURNEY_NONE)
			model_record(model, event, false, now);
		else if (model_active(model, (guint)event->target))
			model_enter(model, (guint)event->target, event, false, now);
		g_free(event);
	}
	return count > 0;
}

/* Steps. */

static void
model_fail(struct model_execution *e, const char *message)
{
	g_free(e->failure);
	e->failure = g_strdup(message);
	model_finish(e, STATUS_FAILED, NULL);
}

/* Leaves the node by a way. */
static void
model_go(struct journey_model *model, struct model_execution *e, guint way, bool is_skipped)
{
	const struct journey_node *node = &model_version(model, e)->nodes[e->node];

	model_leave(e, e->step_time, journey_handle(node->type, way), is_skipped);
	if (node->next[way] == JOURNEY_NONE) {
		model_finish(e, STATUS_COMPLETED, "end");
		return;
	}
	e->status = STATUS_GOES;
	e->node = (guint)node->next[way];
	e->count++;
	e->ready_at = e->step_time;
	e->wait_until = e->released = 0;
	e->is_asked = e->is_answered = e->opens = false;
}

static bool
model_wait(struct journey_model *model, struct model_execution *e, gint64 until, gint64 now)
{
	if (until > now) {
		e->status = STATUS_WAITS;
		e->wait_until = e->ready_at = until;
		return false;
	}
	e->step_time = MAX(until, e->step_time);
	model_go(model, e, 0, false);
	return true;
}

/* The first event that releases the wait at which the execution stands. */
static const struct model_event *
model_find_release(const struct journey_model *model, const struct model_execution *e)
{
	const struct model_event *first = NULL;

	for (guint i = 0; i < model->events->len; i++) {
		const struct model_event *event =
		    &g_array_index(model->events, struct model_event, i);

		if ((!first || event->time < first->time) && model_releases(model, e, event))
			first = event;
	}
	return first;
}

static bool
model_await(struct journey_model *model, struct model_execution *e, gint64 now)
{
	const struct journey_node *node = &model_version(model, e)->nodes[e->node];
	gint64 until = node->hours ? e->step_time + node->hours * JOURNEY_HOUR : 0;
	const struct model_event *event = model_find_release(model, e);

	if (event || (until && until <= now)) {
		if (event)
			e->results[e->node] = event->n;
		e->step_time = event ? event->time : until;
		model_go(model, e, event ? 0 : 1, false);
		return true;
	}
	e->status = STATUS_WAITS;
	e->wait_until = e->ready_at = until;
	return false;
}

static bool
model_digest(struct journey_model *model, struct model_execution *e, gint64 now)
{
	const struct journey_node *node = &model_version(model, e)->nodes[e->node];
	int key = node->is_keyed ? e->n : 0;
	struct model_execution *open = NULL;

	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *other = model->executions->pdata[i];

		if (other != e && other->opens && other->flow == e->flow &&
		    other->person == e->person && other->born == e->born &&
		    other->node == e->node && other->digest_key == key &&
		    other->wait_until > e->step_time &&
		    (!open || other->wait_until < open->wait_until))
			open = other;
	}
	if (open) {
		open->digest_count++;
		model_leave(e, e->step_time, NULL, false);
		model_finish(e, STATUS_COMPLETED, "digest");
		return false;
	}
	e->opens = true;
	e->digest_key = key;
	e->digest_count = 1;
	e->status = STATUS_WAITS;
	e->wait_until = e->ready_at = e->step_time + node->hours * JOURNEY_HOUR;
	return false;
}

static bool
model_request(struct journey_model *model, struct model_execution *e, gint64 now)
{
	const struct journey_node *node = &model_version(model, e)->nodes[e->node];

	if (!e->is_answered) {
		e->is_asked = true;
		e->ask_at = now;
		e->ready_at = 0;
		return false;
	}
	bool is_good = e->answer >= 200 && e->answer < 300;
	e->step_time = MAX(e->step_time, e->answered_at);
	if (!is_good && node->next[1] == JOURNEY_NONE) {
		g_autofree char *failure = g_strdup(e->failure);

		model_fail(e, failure);
		return false;
	}
	e->results[e->node] = (int)e->answer;
	model_go(model, e, is_good ? 0 : 1, false);
	return true;
}

static void
model_update(struct journey_model *model, struct model_execution *e, gint64 now)
{
	const struct journey_node *node = &model_version(model, e)->nodes[e->node];
	struct model_person *p = &model->people[e->person];
	int before_n = p->n, before_plan = p->plan;
	bool before = p->is_subscribed;

	model_set(&p->n, node->copies ? e->n : node->n);
	model_set(&p->plan, node->plan);
	if (node->subscribed != JOURNEY_NONE)
		p->is_subscribed = node->subscribed;
	if (p->n != before_n || p->plan != before_plan || p->is_subscribed != before)
		model_tell_change(model, e->person, now, e);
	model_go(model, e, 0, false);
}

static guint
model_side(const struct journey_model *model, const struct model_execution *e)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *node = g_strdup_printf("n%u", e->node);
	guint8 bytes[32];
	gsize size = sizeof(bytes);

	g_checksum_update(sum, model->people[e->person].id.bytes, sizeof(struct base_id));
	g_checksum_update(sum, (const guchar *)node, -1);
	g_checksum_get_digest(sum, bytes, &size);
	return bytes[7] & 1;
}

/* The first 09:30 that is not before time. */
static gint64
model_half_past_nine(gint64 time)
{
	gint64 day = time / DAY_MS * DAY_MS, at = 9 * JOURNEY_HOUR + JOURNEY_HOUR / 2;

	return day + at >= time ? day + at : day + DAY_MS + at;
}

/* Does the step at which the execution stands. Returns whether another one may follow. */
static bool
model_step(struct journey_model *model, struct model_execution *e, bool *removes, gint64 now)
{
	const struct journey_node *node = &model_version(model, e)->nodes[e->node];
	const struct model_person *p = &model->people[e->person];
	const struct model_scope scope = model_scope_of(model, e, e->n);
	gint64 until;

	switch (node->type) {
	case TYPE_SEND:
		model->mails += p->is_subscribed;
		model_go(model, e, 0, !p->is_subscribed);
		return true;
	case TYPE_WAIT:
		return model_wait(model, e, e->step_time + node->hours * JOURNEY_HOUR, now);
	case TYPE_WAIT_TIME:
		return model_wait(model, e, model_half_past_nine(e->step_time), now);
	case TYPE_WAIT_DAY:
		until = p->day * DAY_MS;
		if (until)
			return model_wait(model, e, until, now);
		model_fail(e, "property day, whose time is to be waited for, is missing");
		return false;
	case TYPE_AWAIT:
		return model_await(model, e, now);
	case TYPE_CONDITION:
		model_go(model, e, model_hold(&node->rules, &scope) ? 0 : 1, false);
		return true;
	case TYPE_UPDATE:
		model_update(model, e, now);
		return true;
	case TYPE_DELETE:
		*removes = true;
		model_leave(e, e->step_time, NULL, false);
		model_finish(e, STATUS_COMPLETED, "end");
		return false;
	case TYPE_DIGEST:
		return model_digest(model, e, now);
	case TYPE_REQUEST:
		return model_request(model, e, now);
	case TYPE_SPLIT:
		model_go(model, e, model_side(model, e), false);
		return true;
	case TYPE_EXIT:
		model_leave(e, e->step_time, NULL, false);
		model_finish(e, STATUS_COMPLETED, "end");
		return false;
	default:
		model_go(model, e, 0, false);
		return true;
	}
}

/* Ends the execution if rules of its goal or an exit hold. */
static void
model_check_rules(struct journey_model *model, struct model_execution *e, gint64 now)
{
	const struct journey *journey = model_version(model, e);
	const struct model_scope scope = model_scope_of(model, e, 0);
	gint64 time = e->status == STATUS_WAITS ? MAX(e->step_time, e->ready_at) : e->step_time;

	if (!e->goal_at && (!journey->within || now < e->started + journey->within) &&
	    model_rules_bar(journey->goals, journey->goal_count, &scope)) {
		e->goal_at = now;
		if (!journey->goes_on) {
			model_end(e, true, time);
			return;
		}
	}
	if (model_rules_bar(journey->exits, journey->exit_count, &scope))
		model_end(e, false, time);
}

/* The end of the wait at which the execution stands. */
static void
model_resume(struct journey_model *model, struct model_execution *e, gint64 now)
{
	const struct journey_node *node = &model_version(model, e)->nodes[e->node];

	if (e->released) {
		e->step_time = e->released;
		model_go(model, e, 0, false);
	} else if (node->type == TYPE_AWAIT) {
		e->status = STATUS_GOES;
		model_await(model, e, now);
	} else {
		if (node->type == TYPE_DIGEST)
			e->results[e->node] = (int)e->digest_count;
		e->step_time = e->wait_until;
		model_go(model, e, 0, false);
	}
}

static void
model_step_on(struct journey_model *model, struct model_execution *e, bool *removes, gint64 now)
{
	bool goes = true;

	if (e->status == STATUS_WAITS)
		model_check_rules(model, e, now);
	if (model_runs(e) && (e->status == STATUS_WAITS || e->released))
		model_resume(model, e, now);
	for (guint i = 0; i < AT_ONCE && goes && e->status == STATUS_GOES; i++) {
		model_check_rules(model, e, now);
		goes = model_runs(e) && model_step(model, e, removes, now);
	}
}

static gint
model_compare_due(gconstpointer a, gconstpointer b)
{
	const struct model_execution *x = *(const struct model_execution *const *)a,
				     *y = *(const struct model_execution *const *)b;

	if (x->ready_at != y->ready_at)
		return x->ready_at < y->ready_at ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* Steps all that are due. Returns whether any were. */
static bool
model_step_all(struct journey_model *model, gint64 now)
{
	g_autoptr(GPtrArray) due = g_ptr_array_new();
	bool removes[JOURNEY_PEOPLE] = {false};

	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *e = model->executions->pdata[i];

		if (model_runs(e) && e->ready_at && e->ready_at < now + MINUTE &&
		    !model->flows[e->flow].is_paused)
			g_ptr_array_add(due, e);
	}
	g_ptr_array_sort(due, model_compare_due);
	for (guint i = 0; i < due->len; i++) {
		struct model_execution *e = due->pdata[i];

		if (!removes[e->person])
			model_step_on(model, e, &removes[e->person], now);
	}
	for (guint i = 0; i < JOURNEY_PEOPLE; i++)
		if (removes[i])
			model_forget(model, i);
	return due->len > 0;
}

void
journey_model_run(struct journey_model *model, gint64 now)
{
	bool more = true;

	while (more) {
		more = model_take_queue(model, now);
		more |= model_step_all(model, now);
	}
}

/* Workflows. */

static void
model_add_start(
    struct journey_model *model, guint flow, gint64 scheduled, bool is_single, const char *status)
{
	const struct model_start start = {.flow = flow,
	    .is_tick = scheduled > 0,
	    .is_single = is_single,
	    .scheduled = scheduled,
	    .status = status};

	g_array_append_val(model->starts, start);
}

/* Makes the start of a tick that has come. */
static void
model_tick(struct journey_model *model, guint flow, gint64 now)
{
	struct model_flow *f = &model->flows[flow];
	bool runs = false;

	if (!f->tick || f->tick > now)
		return;
	while (f->tick + DAY_MS <= now)
		f->tick += DAY_MS;
	for (guint i = 0; i < model->starts->len; i++) {
		const struct model_start *start =
		    &g_array_index(model->starts, struct model_start, i);

		runs |=
		    start->flow == flow && start->is_tick && strcmp(start->status, "pending") == 0;
	}
	model_add_start(model, flow, f->tick, false, runs ? "skipped" : "pending");
	f->tick += DAY_MS;
}

static void
model_hear(struct journey_model *model, guint flow, gint64 now)
{
	struct model_flow *f = &model->flows[flow];

	f->since = now;
	f->tick = model_active(model, flow)->event == JOURNEY_TICK ? model_half_past_nine(now) : 0;
}

void
journey_model_save(
    struct journey_model *model, guint flow, const struct journey *journey, gint64 now)
{
	struct model_flow *f = &model->flows[flow];
	bool is_first = f->versions->len == 0;
	gint64 since = f->since;

	if (model_active(model, flow))
		model_tick(model, flow, now);
	g_array_append_val(f->versions, *journey);
	if (!f->is_paused)
		model_hear(model, flow, now);
	if (!is_first)
		f->since = since;
}

void
journey_model_pause(struct journey_model *model, guint flow, bool is_paused, gint64 now)
{
	struct model_flow *f = &model->flows[flow];

	if (is_paused && !f->is_paused)
		model_tick(model, flow, now);
	f->is_paused = is_paused;
	if (!is_paused)
		model_hear(model, flow, now);
}

/* Starts. */

static void
model_begin(struct journey_model *model, struct model_start *start, guint person, gint64 now)
{
	const struct model_event event = {.event = start->is_tick ? JOURNEY_TICK : JOURNEY_STARTED,
	    .person = person,
	    .time = model_time(model, now),
	    .cause = JOURNEY_NONE,
	    .target = JOURNEY_NONE};

	model_make(model, person);
	const char *held = model_enter(model, start->flow, &event, false, now);
	model->people[person].is_new = false;
	start->people++;
	if (!held)
		start->started++;
	else if (strcmp(held, "filter") == 0)
		start->filter++;
	else
		start->reentry++;
}

void
journey_model_start(struct journey_model *model, guint flow, guint person, gint64 now)
{
	model_add_start(model, flow, 0, true, "done");
	model_begin(model,
	    &g_array_index(model->starts, struct model_start, model->starts->len - 1), person, now);
}

void
journey_model_start_segment(struct journey_model *model, guint flow, gint64 now)
{
	model_add_start(model, flow, 0, false, "pending");
}

void
journey_model_starts(struct journey_model *model, gint64 now)
{
	for (guint flow = 0; flow < JOURNEY_FLOWS; flow++)
		if (model_active(model, flow))
			model_tick(model, flow, now);
	for (guint i = 0; i < model->starts->len; i++) {
		struct model_start *start = &g_array_index(model->starts, struct model_start, i);

		if (strcmp(start->status, "pending") != 0 || !model_active(model, start->flow))
			continue;
		for (guint person = 0; person < JOURNEY_PEOPLE; person++)
			if (model->people[person].is_there &&
			    model->people[person].plan == JOURNEY_SEGMENT_PLAN)
				model_begin(model, start, person, now);
		start->status = "done";
	}
}

/* Looks. */

static void
model_look_date(struct journey_model *model, guint flow, guint person, gint64 now)
{
	const struct model_person *p = &model->people[person];
	const struct model_date date = {flow, person, p->born, p->day};
	gint64 moment = p->day * DAY_MS + 9 * JOURNEY_HOUR;
	const struct model_event event = {.event = JOURNEY_DATE,
	    .person = person,
	    .time = moment,
	    .cause = JOURNEY_NONE,
	    .target = (int)flow};

	if (p->day == 0 || moment <= MAX(model->looked, model->flows[flow].since) || moment > now)
		return;
	for (guint i = 0; i < model->dates->len; i++)
		if (memcmp(&g_array_index(model->dates, struct model_date, i), &date,
			sizeof(date)) == 0)
			return;
	g_array_append_val(model->dates, date);
	model_tell(model, &event);
}

void
journey_model_look(struct journey_model *model, gint64 now)
{
	gint64 time = model_time(model, now);

	for (guint i = 0; i < 2 * JOURNEY_PEOPLE; i++) {
		guint person = i % JOURNEY_PEOPLE;
		struct model_person *p = &model->people[person];
		bool is_in = p->is_there && p->plan == JOURNEY_SEGMENT_PLAN;
		const struct model_event event = {.event = is_in ? JOURNEY_ENTERED : JOURNEY_LEFT,
		    .person = person,
		    .time = time,
		    .cause = JOURNEY_NONE,
		    .target = JOURNEY_NONE};

		/* First those who have entered. */
		if (!p->is_there || is_in == p->is_member || is_in != (i < JOURNEY_PEOPLE))
			continue;
		p->is_member = is_in;
		if (model->looked)
			model_tell(model, &event);
	}
	for (guint flow = 0; flow < JOURNEY_FLOWS; flow++)
		for (guint person = 0; person < JOURNEY_PEOPLE; person++)
			if (model_active(model, flow) && model->people[person].is_there &&
			    model_active(model, flow)->event == JOURNEY_DATE)
				model_look_date(model, flow, person, now);
	model->looked = now;
}

/* Executions from outside. */

guint
journey_model_count(const struct journey_model *model)
{
	return model->executions->len;
}

bool
journey_model_cancel(struct journey_model *model, guint execution, gint64 now)
{
	struct model_execution *e = model->executions->pdata[execution];

	if (!model_runs(e))
		return false;
	model_finish(e, STATUS_CANCELLED, "manual");
	return true;
}

bool
journey_model_asks(const struct journey_model *model, guint execution, gint64 now)
{
	const struct model_execution *e = model->executions->pdata[execution];

	return model_runs(e) && e->is_asked && !e->is_answered && e->ask_at <= now;
}

void
journey_model_answer(struct journey_model *model, guint execution, guint status,
    const char *failure, gint64 again, gint64 now)
{
	struct model_execution *e = model->executions->pdata[execution];

	if (again) {
		e->ask_at = again;
		return;
	}
	e->is_answered = true;
	e->answer = status;
	e->answered_at = e->ready_at = model_time(model, now);
	g_free(e->failure);
	e->failure = g_strdup(failure);
}

bool
journey_model_has(const struct journey_model *model, guint person)
{
	return model->people[person].is_there;
}

void
journey_model_name(struct journey_model *model, guint person, const struct base_id *id)
{
	model->people[person].id = *id;
}

static void
model_show_execution(GString *text, const struct model_execution *e, bool is_keyed)
{
	static const char *const words[] = {
	    "IN_PROGRESS", "WAITING", "COMPLETED", "FAILED", "CANCELLED"};

	g_string_append_printf(
	    text, "w%u p%u %s n%u %u", e->flow, e->person, words[e->status], e->node, e->count);
	if (e->status == STATUS_WAITS && e->wait_until)
		g_string_append_printf(text, " until %" G_GINT64_FORMAT, e->wait_until / MINUTE);
	if (e->goal_at)
		g_string_append_printf(text, " goal %" G_GINT64_FORMAT, e->goal_at / MINUTE);
	if (is_keyed)
		g_string_append_printf(text, " key %d", e->key);
	if (e->how)
		g_string_append_printf(text, " %s", e->how);
	if (e->status == STATUS_FAILED)
		g_string_append_printf(text, " %s", e->failure);
	g_string_append_printf(text, "%s\n", e->steps->str);
}

char *
journey_model_show(const struct journey_model *model)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < model->executions->len; i++) {
		const struct model_execution *e = model->executions->pdata[i];

		model_show_execution(text, e, model_version(model, e)->is_keyed);
	}
	for (guint i = 0; i < JOURNEY_PEOPLE; i++) {
		const struct model_person *p = &model->people[i];

		if (p->is_there)
			g_string_append_printf(text, "p%u n %d plan %d day %d%s\n", i, p->n,
			    p->plan, p->day, p->is_subscribed ? "" : " unsubscribed");
	}
	for (guint i = 0; i < model->starts->len; i++) {
		const struct model_start *start =
		    &g_array_index(model->starts, struct model_start, i);

		g_string_append_printf(text,
		    "start w%u %s at %" G_GINT64_FORMAT
		    " people %u started %u filter %u reentry %u\n",
		    start->flow, start->status, start->scheduled / MINUTE, start->people,
		    start->started, start->filter, start->reentry);
	}
	g_string_append_printf(text, "mails %u\n", model->mails);
	return g_string_free(text, FALSE);
}
