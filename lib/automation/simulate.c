/* SPDX-License-Identifier: MIT */
/* Simulates a design for one contact on a virtual clock. */
#include "automation/simulate.h"

#include <string.h>
#include <stdbool.h>

#include "automation/simulate_event.h"
#include "automation/simulate_run.h"
#include "automation/simulate_sending.h"
#include "automation/simulation.h"
#include "automation/simulator.h"
#include "automation/step.h"
#include "json/strict.h"
#include "json/writer.h"
#include "rule/properties.h"

static struct automation_run *
next_wait(const struct automation_simulator *simulator)
{
	struct automation_run *first = NULL;

	for (guint i = 0; i < simulator->runs->len; i++) {
		struct automation_run *run = simulator->runs->pdata[i];

		if ((run->state == RUN_WAITS || run->state == RUN_WAITS_FOR_EVENT) && run->until &&
		    (!first || run->until < first->until))
			first = run;
	}
	return first;
}

/* The events, and how far the simulation has come. */
struct timeline {
	GArray *events;	     /* of struct automation_simulation_event, by time */
	guint next;	     /* index of the next event */
	const gint64 *until; /* epoch ms: stop there; NULL: run to the end */
};

/* Processes the end of one wait, one event or a mailing that leaves, whichever is earliest. Returns
 * false when none is left. */
static bool
advance(struct automation_simulator *simulator, struct timeline *timeline)
{
	struct automation_run *run = next_wait(simulator);
	const struct automation_simulation_event *event =
	    timeline->next < timeline->events->len
		? &g_array_index(
		      timeline->events, struct automation_simulation_event, timeline->next)
		: NULL;
	/* At the same time, the wait ends first: an event must come before the end to release it.
	 */
	bool waits = run && (!event || run->until <= event->time);
	gint64 time = waits ? run->until : event ? event->time : G_MAXINT64;
	bool leaves =
	    simulator->leaving->len > 0 &&
	    g_array_index(simulator->leaving, struct automation_simulated_mailing, 0).time <= time;

	if (leaves)
		time =
		    g_array_index(simulator->leaving, struct automation_simulated_mailing, 0).time;
	if (automation_simulate_is_late(simulator) || (!run && !event && !leaves) ||
	    (timeline->until && time > *timeline->until))
		return false;
	if (leaves) {
		automation_simulate_tell_leaving(simulator,
		    &g_array_index(simulator->leaving, struct automation_simulated_mailing, 0),
		    true);
		g_array_remove_index(simulator->leaving, 0);
	} else if (!waits) {
		automation_simulate_take(simulator, event);
		timeline->next++;
	} else {
		automation_simulate_leave(simulator, run,
		    run->state == RUN_WAITS ? LEAVE_TIME : LEAVE_TIMEOUT, run->until, NULL);
	}
	return true;
}

static int
simulate_compare_events(const void *a, const void *b)
{
	const struct automation_simulation_event *event_a = a, *event_b = b;

	return (event_a->time > event_b->time) - (event_a->time < event_b->time);
}

/* Returns the events by time, with all times different. */
static GArray *
sort_events(const struct automation_simulation_input *input)
{
	GArray *events = g_array_new(FALSE, FALSE, sizeof(struct automation_simulation_event));

	g_array_append_vals(events, input->events, input->event_count);
	g_array_sort(events, simulate_compare_events);
	for (guint i = 1; i < events->len; i++) {
		struct automation_simulation_event *event =
		    &g_array_index(events, struct automation_simulation_event, i);

		event->time = MAX(event->time, event[-1].time + 1);
	}
	return events;
}

static void
simulate_note_ends(struct automation_simulator *simulator)
{
	struct automation_simulation *result = simulator->result;

	for (guint i = 0; i < simulator->runs->len; i++) {
		const struct automation_run *run = simulator->runs->pdata[i];
		bool waits = run->state < RUN_COMPLETED;
		const struct automation_simulation_execution execution = {
		    .state = waits			   ? SIMULATION_WAITING
			     : run->state == RUN_COMPLETED ? SIMULATION_COMPLETED
			     : run->state == RUN_CANCELLED ? SIMULATION_CANCELLED
							   : SIMULATION_FAILED,
		    .node = run->node,
		    .steps = run->count,
		    .until = waits ? run->until : 0,
		};

		g_array_append_val(result->executions, execution);
		result->completed += run->state == RUN_COMPLETED;
		result->failed += run->state == RUN_FAILED;
		result->waiting += waits;
	}
}

static struct json *
simulate_fields_of(const struct automation_simulation_input *input)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "email", input->email);
	json_writer_string(writer, "first_name", input->first_name);
	json_writer_string(writer, "last_name", input->last_name);
	json_writer_string(writer, "language", input->language);
	json_writer_string(writer, "time_zone", input->time_zone);
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	return json_parse(text, strlen(text), NULL);
}

struct automation_simulation *
automation_simulate(const struct automation_simulation_input *input)
{
	g_autoptr(GArray) events = sort_events(input);
	g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func(automation_simulate_free_run);
	g_autoptr(GArray) leaving =
	    g_array_new(FALSE, FALSE, sizeof(struct automation_simulated_mailing));
	g_autoptr(GStringChunk) texts = g_string_chunk_new(256);
	struct timeline timeline = {events, 0, input->until};
	struct automation_simulator simulator = {
	    .input = input,
	    .result = automation_simulation_new(),
	    .runs = runs,
	    .leaving = leaving,
	    .texts = texts,
	};

	automation_simulate_merge(&simulator.properties, input->properties);
	simulator.fields = simulate_fields_of(input);
	while (advance(&simulator, &timeline))
		continue;
	simulate_note_ends(&simulator);
	simulator.result->properties = rule_properties_merge(simulator.properties, NULL);
	g_clear_pointer(&simulator.properties, json_free);
	g_clear_pointer(&simulator.fields, json_free);
	return simulator.result;
}
