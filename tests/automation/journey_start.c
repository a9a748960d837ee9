/* SPDX-License-Identifier: MIT */
/* Versions, schedules, starts and looks in the model of the engine. */
#include "tests/automation/journey_model.h"

#include <string.h>

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
	f->tick =
	    journey_active(model, flow)->event == JOURNEY_TICK ? journey_half_past_nine(now) : 0;
}

void
journey_model_save(
    struct journey_model *model, guint flow, const struct journey *journey, gint64 now)
{
	struct model_flow *f = &model->flows[flow];
	bool is_first = f->versions->len == 0;
	gint64 since = f->since;

	if (journey_active(model, flow))
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

/* A person of a start. A request begins one alone and takes no steps. */
static void
model_begin(struct journey_model *model, struct model_start *start, guint person, gint64 now)
{
	const struct model_event event = {.event = start->is_tick ? JOURNEY_TICK : JOURNEY_STARTED,
	    .person = person,
	    .time = journey_time(model, now),
	    .cause = JOURNEY_NONE,
	    .target = JOURNEY_NONE};

	journey_make(model, person);
	const char *held = journey_enter(model, start->flow, &event, false, now);
	if (!held && !start->is_single)
		journey_begin_steps(model, start->flow, person, event.time, now);
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
		if (journey_active(model, flow))
			model_tick(model, flow, now);
	for (guint i = 0; i < model->starts->len; i++) {
		struct model_start *start = &g_array_index(model->starts, struct model_start, i);

		if (strcmp(start->status, "pending") != 0 || !journey_active(model, start->flow))
			continue;
		for (guint person = 0; person < JOURNEY_PEOPLE; person++)
			if (model->people[person].is_there &&
			    model->people[person].plan == JOURNEY_SEGMENT_PLAN)
				model_begin(model, start, person, now);
		start->status = "done";
	}
}

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
	journey_tell(model, &event);
}

void
journey_model_look(struct journey_model *model, gint64 now)
{
	gint64 time = journey_time(model, now);

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
			journey_tell(model, &event);
	}
	for (guint flow = 0; flow < JOURNEY_FLOWS; flow++)
		for (guint person = 0; person < JOURNEY_PEOPLE; person++)
			if (journey_active(model, flow) && model->people[person].is_there &&
			    journey_active(model, flow)->event == JOURNEY_DATE)
				model_look_date(model, flow, person, now);
	model->looked = now;
}
