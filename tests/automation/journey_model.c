/* SPDX-License-Identifier: MIT */
/* The model of the engine: people, executions, and all that is shown. */
#include "tests/automation/journey_model.h"

#include <string.h>

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
gint64
journey_time(struct journey_model *model, gint64 now)
{
	return model->last = MAX(now, model->last + 1);
}

const struct journey *
journey_active(const struct journey_model *model, guint flow)
{
	const GArray *versions = model->flows[flow].versions;

	return versions->len == 0 || model->flows[flow].is_paused
		   ? NULL
		   : &g_array_index(versions, struct journey, versions->len - 1);
}

const struct journey *
journey_version(const struct journey_model *model, const struct model_execution *e)
{
	return &g_array_index(model->flows[e->flow].versions, struct journey, e->version);
}

bool
journey_runs(const struct model_execution *e)
{
	return e->status == STATUS_GOES || e->status == STATUS_WAITS;
}

void
journey_finish(struct model_execution *e, enum journey_status status, const char *how)
{
	e->status = status;
	e->how = how;
	e->ready_at = e->wait_until = e->released = 0;
	e->is_asked = e->is_answered = e->opens = false;
}

void
journey_leave(struct model_execution *e, gint64 time, const char *handle, bool is_skipped)
{
	g_string_append_printf(e->steps, " [%u n%u %s%s %" G_GINT64_FORMAT "]", e->count, e->node,
	    handle ? handle : "-", is_skipped ? " skipped" : "", time / MINUTE);
}

void
journey_end(struct model_execution *e, bool is_goal, gint64 time)
{
	journey_leave(e, time, NULL, !is_goal);
	journey_finish(e, is_goal ? STATUS_COMPLETED : STATUS_CANCELLED, is_goal ? "goal" : "exit");
}

/* The queue is in the order of times: the moment of a date may be long ago. */
void
journey_tell(struct journey_model *model, const struct model_event *event)
{
	GList *link = model->queue.tail;

	while (link && ((const struct model_event *)link->data)->time > event->time)
		link = link->prev;
	g_queue_insert_after(&model->queue, link, g_memdup2(event, sizeof(*event)));
}

void
journey_tell_change(
    struct journey_model *model, guint person, gint64 now, const struct model_execution *by)
{
	const struct model_event event = {.event = JOURNEY_UPDATED,
	    .person = person,
	    .time = journey_time(model, now),
	    .cause = by ? (int)by->flow : JOURNEY_NONE,
	    .depth = by ? by->depth : 0,
	    .target = JOURNEY_NONE};

	if (!model->people[person].is_new)
		journey_tell(model, &event);
}

bool
journey_set(int *place, int value)
{
	bool is_other = value != JOURNEY_NONE && *place != value;

	if (is_other)
		*place = value;
	return is_other;
}

void
journey_change_person(struct journey_model *model, guint person, const int values[3], gint64 now,
    const struct model_execution *by)
{
	struct model_person *p = &model->people[person];
	bool is_changed = journey_set(&p->n, values[0]);

	is_changed |= journey_set(&p->plan, values[1]);
	is_changed |= journey_set(&p->day, values[2]);
	if (is_changed)
		journey_tell_change(model, person, now, by);
}

void
journey_make(struct journey_model *model, guint person)
{
	struct model_person *p = &model->people[person];

	p->is_new = !p->is_there;
	p->is_there = true;
}

bool
journey_is_same(const struct journey_model *model, guint person, guint born)
{
	return model->people[person].is_there && model->people[person].born == born;
}

/* The person goes, with their executions. */
void
journey_forget(struct journey_model *model, guint person)
{
	struct model_person *p = &model->people[person];

	for (guint i = 0; i < model->executions->len; i++) {
		struct model_execution *e = model->executions->pdata[i];

		if (e->person == person && e->born == p->born && journey_runs(e))
			journey_finish(e, STATUS_CANCELLED, "contact_deleted");
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

guint
journey_model_count(const struct journey_model *model)
{
	return model->executions->len;
}

bool
journey_model_cancel(struct journey_model *model, guint execution, gint64 now)
{
	struct model_execution *e = model->executions->pdata[execution];

	if (!journey_runs(e))
		return false;
	journey_finish(e, STATUS_CANCELLED, "manual");
	return true;
}

bool
journey_model_asks(const struct journey_model *model, guint execution, gint64 now)
{
	const struct model_execution *e = model->executions->pdata[execution];

	return journey_runs(e) && e->is_asked && !e->is_answered && e->ask_at <= now;
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
	e->answered_at = e->ready_at = journey_time(model, now);
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

		model_show_execution(text, e, journey_version(model, e)->is_keyed);
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
