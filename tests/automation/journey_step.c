/* SPDX-License-Identifier: MIT */
/* Steps in the model of the engine. */
#include "tests/automation/journey_model.h"

#include <string.h>

static void
model_fail(struct model_execution *e, const char *message)
{
	g_free(e->failure);
	e->failure = g_strdup(message);
	journey_finish(e, STATUS_FAILED, NULL);
}

/* Leaves the node by a way. */
static void
model_go(struct journey_model *model, struct model_execution *e, guint way, bool is_skipped)
{
	const struct journey_node *node = &journey_version(model, e)->nodes[e->node];

	journey_leave(e, e->step_time, journey_handle(node->type, way), is_skipped);
	if (node->next[way] == JOURNEY_NONE) {
		journey_finish(e, STATUS_COMPLETED, "end");
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

		if ((!first || event->time < first->time) && journey_releases(model, e, event))
			first = event;
	}
	return first;
}

static bool
model_await(struct journey_model *model, struct model_execution *e, gint64 now)
{
	const struct journey_node *node = &journey_version(model, e)->nodes[e->node];
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
	const struct journey_node *node = &journey_version(model, e)->nodes[e->node];
	int key = node->is_keyed ? e->n : 0;
	gint64 until = e->step_time + node->hours * JOURNEY_HOUR;
	struct model_execution *open = NULL;

	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *other = model->executions->pdata[i];

		if (other != e && other->opens && other->flow == e->flow &&
		    other->person == e->person && other->born == e->born &&
		    other->node == e->node && other->digest_key == key &&
		    other->wait_until > e->step_time && other->step_time < until &&
		    (!open || other->wait_until < open->wait_until))
			open = other;
	}
	if (open) {
		open->digest_count++;
		journey_leave(e, e->step_time, NULL, false);
		journey_finish(e, STATUS_COMPLETED, "digest");
		return false;
	}
	e->opens = true;
	e->digest_key = key;
	e->digest_count = 1;
	e->status = STATUS_WAITS;
	e->wait_until = e->ready_at = until;
	return false;
}

static bool
model_request(struct journey_model *model, struct model_execution *e, gint64 now)
{
	const struct journey_node *node = &journey_version(model, e)->nodes[e->node];

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
	const struct journey_node *node = &journey_version(model, e)->nodes[e->node];
	struct model_person *p = &model->people[e->person];
	int before_n = p->n, before_plan = p->plan;
	bool before = p->is_subscribed;

	journey_set(&p->n, node->copies ? e->n : node->n);
	journey_set(&p->plan, node->plan);
	if (node->subscribed != JOURNEY_NONE)
		p->is_subscribed = node->subscribed;
	if (p->n != before_n || p->plan != before_plan || p->is_subscribed != before)
		journey_tell_change(model, e->person, now, e);
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
gint64
journey_half_past_nine(gint64 time)
{
	gint64 day = time / DAY_MS * DAY_MS, at = 9 * JOURNEY_HOUR + JOURNEY_HOUR / 2;

	return day + at >= time ? day + at : day + DAY_MS + at;
}

/* Does the step at which the execution stands. Returns whether another one may follow. */
static bool
model_step(struct journey_model *model, struct model_execution *e, bool *removes, gint64 now)
{
	const struct journey_node *node = &journey_version(model, e)->nodes[e->node];
	const struct model_person *p = &model->people[e->person];
	const struct model_scope scope = journey_scope_of(model, e, e->n);
	gint64 until;

	switch (node->type) {
	case TYPE_SEND:
		model->mails += p->is_subscribed;
		model_go(model, e, 0, !p->is_subscribed);
		return true;
	case TYPE_WAIT:
		return model_wait(model, e, e->step_time + node->hours * JOURNEY_HOUR, now);
	case TYPE_WAIT_TIME:
		return model_wait(model, e, journey_half_past_nine(e->step_time), now);
	case TYPE_WAIT_DAY:
		until = p->day * DAY_MS;
		if (until)
			return model_wait(model, e, until, now);
		model_fail(e, "property day, whose time is to be waited for, is missing");
		return false;
	case TYPE_AWAIT:
		return model_await(model, e, now);
	case TYPE_CONDITION:
		model_go(model, e, journey_hold(&node->rules, &scope) ? 0 : 1, false);
		return true;
	case TYPE_UPDATE:
		model_update(model, e, now);
		return true;
	case TYPE_DELETE:
		*removes = true;
		journey_leave(e, e->step_time, NULL, false);
		journey_finish(e, STATUS_COMPLETED, "end");
		return false;
	case TYPE_DIGEST:
		return model_digest(model, e, now);
	case TYPE_REQUEST:
		return model_request(model, e, now);
	case TYPE_SPLIT:
		model_go(model, e, model_side(model, e), false);
		return true;
	case TYPE_EXIT:
		journey_leave(e, e->step_time, NULL, false);
		journey_finish(e, STATUS_COMPLETED, "end");
		return false;
	default:
		model_go(model, e, 0, false);
		return true;
	}
}

/* Whether the step at which the execution stands only moves it on or has it wait. */
static bool
model_is_plain(const struct journey_model *model, const struct model_execution *e)
{
	const struct journey_node *node = &journey_version(model, e)->nodes[e->node];

	switch (node->type) {
	case TYPE_TRIGGER:
		return node->next[0] != JOURNEY_NONE;
	case TYPE_SPLIT:
		return node->next[model_side(model, e)] != JOURNEY_NONE;
	case TYPE_WAIT:
	case TYPE_WAIT_TIME:
	case TYPE_AWAIT:
		return true;
	case TYPE_WAIT_DAY:
		return model->people[e->person].day * DAY_MS > e->step_time ||
		       (model->people[e->person].day && node->next[0] != JOURNEY_NONE);
	default:
		return false;
	}
}

/* Takes the first steps of the last execution that has begun, of a version without goal and exit,
   as far as they are plain. */
void
journey_begin_steps(struct journey_model *model, guint flow, guint person, gint64 time, gint64 now)
{
	const struct journey *journey = journey_active(model, flow);
	bool removes = false, goes = journey->goal_count + journey->exit_count == 0;
	struct model_execution *e = NULL;

	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *other = model->executions->pdata[i];

		if (other->flow == flow && other->person == person && other->started == time)
			e = other;
	}
	while (goes && e->status == STATUS_GOES && model_is_plain(model, e))
		goes = model_step(model, e, &removes, now);
}

/* Ends the execution if rules of its goal or an exit hold. */
static void
model_check_rules(struct journey_model *model, struct model_execution *e, gint64 now)
{
	const struct journey *journey = journey_version(model, e);
	const struct model_scope scope = journey_scope_of(model, e, 0);
	gint64 time = e->status == STATUS_WAITS ? MAX(e->step_time, e->ready_at) : e->step_time;

	if (!e->goal_at && (!journey->within || now < e->started + journey->within) &&
	    journey_rules_bar(journey->goals, journey->goal_count, &scope)) {
		e->goal_at = now;
		if (!journey->goes_on) {
			journey_end(e, true, time);
			return;
		}
	}
	if (journey_rules_bar(journey->exits, journey->exit_count, &scope))
		journey_end(e, false, time);
}

/* The end of the wait at which the execution stands. */
static void
model_resume(struct journey_model *model, struct model_execution *e, gint64 now)
{
	const struct journey_node *node = &journey_version(model, e)->nodes[e->node];

	if (e->released) {
		e->results[e->node] = e->released_n;
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
	if (journey_runs(e) && (e->status == STATUS_WAITS || e->released))
		model_resume(model, e, now);
	for (guint i = 0; i < AT_ONCE && goes && e->status == STATUS_GOES; i++) {
		model_check_rules(model, e, now);
		goes = journey_runs(e) && model_step(model, e, removes, now);
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

		if (journey_runs(e) && e->ready_at && e->ready_at < now + MINUTE &&
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
			journey_forget(model, i);
	return due->len > 0;
}

void
journey_model_run(struct journey_model *model, gint64 now)
{
	bool more = true;

	while (more) {
		more = journey_take_queue(model, now);
		more |= model_step_all(model, now);
	}
}
