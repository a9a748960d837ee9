/* SPDX-License-Identifier: MIT */
/* Simulates a design for one contact on a virtual clock, and reports each step. */
#include "automation/simulate.h"

#include <stdbool.h>
#include <string.h>

#include "automation/design.h"
#include "automation/duration.h"
#include "rule/event_name.h"
#include "automation/node.h"
#include "rule/properties.h"
#include "automation/results.h"
#include "automation/rules.h"
#include "automation/step.h"
#include "base/clock.h"
#include "base/secret.h"
#include "json/strict.h"
#include "json/writer.h"

enum run_state { RUN_GOES, RUN_WAITS, RUN_WAITS_FOR_EVENT, RUN_COMPLETED, RUN_FAILED };

/* One execution. */
struct run {
	guint number;
	enum run_state state;
	const struct automation_design_node *node;
	gint64 time;  /* of the step */
	gint64 until; /* end of a wait, 0 = no end */
	guint count;  /* nodes visited */
	const struct json *event;
	struct automation_results *results; /* of its steps */
};

/* The contact and its executions. */
struct simulator {
	const struct automation_simulation_input *input;
	struct automation_simulation *result;
	GPtrArray *runs;	 /* of struct run */
	GStringChunk *texts;	 /* of answers */
	struct json *properties; /* of the contact */
	struct json *fields;	 /* of the contact: its email and names */
	const char *last_name;	 /* of the event that started the last execution; NULL: none yet */
	gint64 last_time;	 /* of that event */
};

static void
simulate_free_run(gpointer data)
{
	struct run *run = data;

	automation_results_free(run->results);
	g_free(run);
}

static void
free_line(gpointer data)
{
	struct automation_simulation_line *line = data;

	g_free(line->node);
	g_free(line->action);
	g_free(line->branch);
	g_free(line->why);
	g_free(line);
}

static struct automation_simulation *
simulation_new(void)
{
	struct automation_simulation *simulation = g_new0(struct automation_simulation, 1);

	simulation->lines = g_ptr_array_new_with_free_func(free_line);
	simulation->executions =
	    g_array_new(FALSE, FALSE, sizeof(struct automation_simulation_execution));
	return simulation;
}

void
automation_simulation_free(struct automation_simulation *simulation)
{
	g_ptr_array_unref(simulation->lines);
	g_array_unref(simulation->executions);
	g_free(simulation->properties);
	g_free(simulation);
}

static bool
simulate_is_full(const struct simulator *simulator)
{
	guint most = simulator->input->lines;

	return most > 0 && simulator->result->lines->len >= most;
}

/* Adds a copy of a line to the report, unless that is full. */
static void
simulate_add_line(struct simulator *simulator, const struct automation_simulation_line *line)
{
	struct automation_simulation_line *copy;

	if (simulate_is_full(simulator)) {
		simulator->result->truncated = true;
		return;
	}
	copy = g_memdup2(line, sizeof(*line));
	copy->node = g_strdup(line->node);
	copy->action = g_strdup(line->action);
	copy->branch = g_strdup(line->branch);
	copy->why = g_strdup(line->why);
	g_ptr_array_add(simulator->result->lines, copy);
}

static bool
simulate_is_late(const struct simulator *simulator)
{
	gint64 deadline = simulator->input->deadline;

	if (deadline && base_clock_boot() >= deadline)
		simulator->result->expired = true;
	return simulator->result->expired;
}

/* Merges a patch (NULL: none) into an object, which it replaces. */
static void
simulate_merge(struct json **object, const struct json *patch)
{
	g_autofree char *text = rule_properties_merge(*object, patch);

	g_clear_pointer(object, json_free);
	*object = json_parse(text, strlen(text), NULL);
}

static void
simulate_subscribe(struct simulator *simulator, bool subscribed)
{
	static const char *const patches[] = {"{\"subscribed\":false}", "{\"subscribed\":true}"};
	AUTO(json) patch = json_parse(patches[subscribed], strlen(patches[subscribed]), NULL);

	simulate_merge(&simulator->fields, patch);
}

static void
simulate_finish(struct simulator *simulator, struct run *run, enum run_state state, const char *why)
{
	const struct automation_simulation_line line = {
	    .time = run->time,
	    .execution = run->number,
	    .action = (char *)(state == RUN_COMPLETED ? "COMPLETED" : "FAILED"),
	    .why = (char *)why,
	};

	simulate_add_line(simulator, &line);
	run->state = state;
}

/* Ends all executions, and forgets the properties. */
static void
simulate_delete(struct simulator *simulator, gint64 time)
{
	for (guint i = 0; i < simulator->runs->len; i++) {
		struct run *run = simulator->runs->pdata[i];

		if (run->state != RUN_WAITS && run->state != RUN_WAITS_FOR_EVENT)
			continue;
		run->time = time;
		simulate_finish(simulator, run, RUN_COMPLETED, "the contact was deleted");
	}
	g_clear_pointer(&simulator->properties, json_free);
	simulate_merge(&simulator->properties, NULL);
}

/* Keeps what a step gives; makes it fail when that is too much. */
static void
simulate_keep(struct run *run, struct automation_step_result *result)
{
	g_autoptr(GError) failure = NULL;

	if (!result->given ||
	    automation_results_set(run->results, run->node->id, result->given, &failure))
		return;
	result->kind = STEP_FAIL;
	result->message = g_strdup(failure->message);
}

/* Reports the decision of a step, and carries it out. */
static void
simulate_apply(struct simulator *simulator, struct run *run, struct automation_step_result *result)
{
	g_autofree char *action = automation_node_describe(run->node);
	const struct automation_simulation_line line = {
	    .time = run->time,
	    .execution = run->number,
	    .node = (char *)run->node->id,
	    .action = action,
	    .branch = (char *)result->handle,
	    .why = result->why,
	};

	simulate_add_line(simulator, &line);
	simulate_keep(run, result);
	if (result->kind == STEP_UPDATE) {
		simulate_merge(&simulator->properties, result->patch);
		simulate_merge(&simulator->fields, result->names);
		if (result->subscribed_given)
			simulate_subscribe(simulator, result->subscribed);
	}
	if (result->kind == STEP_DELETE)
		simulate_delete(simulator, run->time);
	if (result->kind == STEP_FAIL) {
		simulate_finish(simulator, run, RUN_FAILED, result->message);
	} else if (result->kind == STEP_WAIT || result->kind == STEP_WAIT_EVENT) {
		run->state = result->kind == STEP_WAIT ? RUN_WAITS : RUN_WAITS_FOR_EVENT;
		run->until = result->until;
	} else if (!result->next) {
		simulate_finish(simulator, run, RUN_COMPLETED, NULL);
	} else {
		run->node = result->next;
		run->count++;
		run->state = RUN_GOES;
	}
	automation_step_clear(result);
}

static struct automation_step_input
simulate_input_of(const struct simulator *simulator, const struct run *run)
{
	return (struct automation_step_input){
	    .design = simulator->input->design,
	    .node = run->node,
	    .contact = &simulator->input->contact,
	    .properties = simulator->properties,
	    .event = run->event,
	    .time = run->time,
	    .count = run->count,
	    .explain = !simulate_is_full(simulator),
	    .fields = simulator->fields,
	    .segments = simulator->input->segments,
	    .results = run->results,
	    .keeps_results = true,
	};
}

/* The answer to the request of a run's node, in texts of the chunk. */
static struct automation_step_answer
simulate_answer(const struct simulator *simulator, const struct run *run)
{
	const struct json *given = json_member_get(simulator->input->responses, run->node->id);
	const struct json *status = json_member_get(given, "status");
	guint number = status ? (guint)json_integer(status) : 200;
	struct automation_step_answer answer = {.status = number, .body = "{}"};

	if (json_member_has(given, "body")) {
		const struct json *body = json_member_get(given, "body");
		g_autofree char *text = json_print(body);

		answer.body = body ? g_string_chunk_insert(simulator->texts, text) : NULL;
	}
	if (number >= 200 && number < 300)
		return answer;
	g_autofree char *error = number > 0 ? g_strdup_printf("the answer is %u", number)
					    : g_strdup("there is no answer");
	answer.error = g_string_chunk_insert(simulator->texts, error);
	return answer;
}

static void
run_steps(struct simulator *simulator, struct run *run)
{
	while (run->state == RUN_GOES && !simulate_is_late(simulator)) {
		struct automation_step_input input = simulate_input_of(simulator, run);
		struct automation_step_result result;
		struct automation_step_answer answer;

		if (run->node->type == NODE_REQUEST) {
			answer = simulate_answer(simulator, run);
			input.answer = &answer;
		}
		automation_step(&input, &result);
		simulate_apply(simulator, run, &result);
	}
}

/* Ends a run's wait at time, by an event of these properties (NULL: none), and runs its next
   steps. */
static void
simulate_leave(struct simulator *simulator, struct run *run, enum automation_step_leave how,
    gint64 time, const struct json *released)
{
	struct automation_step_result result;

	run->time = time;
	struct automation_step_input input = simulate_input_of(simulator, run);
	input.released = released;
	automation_step_leave(&input, how, &result);
	simulate_apply(simulator, run, &result);
	run_steps(simulator, run);
}

/* Starts a run by an event, and runs its steps until it waits or ends. name and event (properties;
   NULL: none) are borrowed. */
static void
simulate_start(struct simulator *simulator, const char *name, gint64 time, const struct json *event)
{
	struct run *run = g_new0(struct run, 1);

	run->number = ++simulator->result->started;
	run->node = automation_design_start(simulator->input->design);
	run->time = time;
	run->count = 1;
	run->event = event;
	run->results = automation_results_new(automation_design_ids(simulator->input->design));
	g_ptr_array_add(simulator->runs, run);
	simulator->last_name = name;
	simulator->last_time = time;
	run_steps(simulator, run);
}

static const struct run *
find_unfinished(const struct simulator *simulator)
{
	for (guint i = 0; i < simulator->runs->len; i++) {
		const struct run *run = simulator->runs->pdata[i];

		if (run->state < RUN_COMPLETED)
			return run;
	}
	return NULL;
}

static struct run *
next_wait(const struct simulator *simulator)
{
	struct run *first = NULL;

	for (guint i = 0; i < simulator->runs->len; i++) {
		struct run *run = simulator->runs->pdata[i];

		if ((run->state == RUN_WAITS || run->state == RUN_WAITS_FOR_EVENT) && run->until &&
		    (!first || run->until < first->until))
			first = run;
	}
	return first;
}

/* The events, and how far the simulation has come. */
struct timeline {
	GArray *events; /* of struct automation_simulation_event, by time */
	guint next;	/* index of the next event */
	gint64 until;	/* epoch ms: stop there; 0: run to the end */
};

/* Returns whether dedupe window and re-entry allow a start; else appends the reason to why. */
static bool
may_start(const struct simulator *simulator, const struct automation_node_trigger *trigger,
    const struct automation_simulation_event *event, GString *why)
{
	const struct run *unfinished = find_unfinished(simulator);

	if (automation_step_is_duplicate(
		trigger, simulator->last_name, simulator->last_time, event->name, event->time)) {
		g_autofree char *ago =
		    automation_duration_format(event->time - simulator->last_time);
		g_autofree char *window = automation_duration_format(trigger->dedupe_window);
		g_string_append_printf(why,
		    "starts nothing: deduplicated, as the last start was %s ago and "
		    "dedupe_window is %s",
		    ago, window);
		return false;
	}
	if (trigger->reentry == REENTRY_ONCE && simulator->runs->len > 0)
		g_string_append(why, "starts nothing: reentry is once");
	else if (trigger->reentry == REENTRY_AFTER_FINISH && unfinished)
		g_string_append_printf(why,
		    "starts nothing: reentry is after_finish, and execution %u is not finished",
		    unfinished->number);
	else
		return true;
	return false;
}

/* run: the execution whose rules are asked; NULL: none yet. */
static struct automation_rules_scope
simulate_scope_of(const struct simulator *simulator,
    const struct automation_simulation_event *event, const struct run *run)
{
	return (struct automation_rules_scope){simulator->properties, event->properties,
	    simulator->fields, NULL, run ? run->event : event->properties,
	    simulator->input->segments, run ? run->results : NULL};
}

/* Returns whether the event starts an execution; appends the reason to why. */
static bool
decide_start(const struct simulator *simulator, const struct automation_simulation_event *event,
    GString *why)
{
	const struct automation_node_trigger *trigger =
	    automation_design_trigger(simulator->input->design);
	const struct automation_rules_scope scope = simulate_scope_of(simulator, event, NULL);
	g_autoptr(GString) match = g_string_new(NULL);

	if (!trigger)
		return false;
	bool matches = automation_step_matches(trigger, event->name, &scope, match);
	if (!matches) {
		if (strcmp(trigger->event_name, event->name) == 0)
			g_string_append_printf(
			    why, "starts nothing: its filter says %s", match->str);
		return false;
	}
	if (!may_start(simulator, trigger, event, why))
		return false;
	g_string_append_printf(why, "starts execution %u", simulator->result->started + 1);
	return true;
}

/* Why an event of the right name does not let an execution run_steps. */
static void
explain_filter(const struct simulator *simulator, const struct run *run,
    const struct automation_simulation_event *event, GString *why)
{
	const struct automation_rules_scope scope = simulate_scope_of(simulator, event, run);

	if (strcmp(run->node->wait_event.event_name, event->name) != 0)
		return;
	g_string_append_printf(why, "%sexecution %u waits for it at %s, but ", why->len ? "; " : "",
	    run->number, run->node->id);
	automation_rules_hold(run->node->wait_event.filter, &scope, why);
}

static bool
waits_for(const struct run *run, const struct automation_simulation_event *event)
{
	return run->state == RUN_WAITS_FOR_EVENT &&
	       automation_step_in_time(run->time, run->until, event->time);
}

/* The executions that the event lets go on. Appends to why which ones they are, and why others that
   wait for this event do not go on. The caller frees the array. */
static GPtrArray *
find_released(const struct simulator *simulator, const struct automation_simulation_event *event,
    GString *why)
{
	GPtrArray *released = g_ptr_array_new();

	for (guint i = 0; i < simulator->runs->len; i++) {
		struct run *run = simulator->runs->pdata[i];

		const struct automation_rules_scope scope =
		    simulate_scope_of(simulator, event, run);

		if (!waits_for(run, event))
			continue;
		if (!automation_step_releases(run->node, event->name, &scope)) {
			explain_filter(simulator, run, event, why);
			continue;
		}
		g_ptr_array_add(released, run);
		g_string_append_printf(why, "%sreleases execution %u at %s", why->len ? "; " : "",
		    run->number, run->node->id);
	}
	return released;
}

static void
simulate_take(struct simulator *simulator, const struct automation_simulation_event *event)
{
	g_autoptr(GString) why = g_string_new(NULL);

	if (event->properties && !rule_event_name_reserved(event->name) &&
	    !rule_event_name_is_own(event->name))
		simulate_merge(&simulator->properties, event->properties);
	bool starts = decide_start(simulator, event, why);
	g_autoptr(GPtrArray) released = find_released(simulator, event, why);
	g_autofree char *action = g_strdup_printf("event %s", event->name);
	const struct automation_simulation_line line = {
	    .time = event->time,
	    .action = action,
	    .why = why->len ? why->str : (char *)"nothing waits for it",
	};
	simulate_add_line(simulator, &line);
	for (guint i = 0; i < released->len; i++)
		simulate_leave(
		    simulator, released->pdata[i], LEAVE_EVENT, event->time, event->properties);
	if (starts)
		simulate_start(simulator, event->name, event->time, event->properties);
}

/* Processes the end of one wait or one event, whichever is earlier. Returns false when none is
 * left. */
static bool
advance(struct simulator *simulator, struct timeline *timeline)
{
	struct run *run = next_wait(simulator);
	const struct automation_simulation_event *event =
	    timeline->next < timeline->events->len
		? &g_array_index(
		      timeline->events, struct automation_simulation_event, timeline->next)
		: NULL;
	/* At the same time, the wait ends first: an event must come before the end to release it.
	 */
	bool waits = run && (!event || run->until <= event->time);
	gint64 until = timeline->until;

	if (simulate_is_late(simulator) || (!run && !event) ||
	    (until && (waits ? run->until : event->time) > until))
		return false;
	if (!waits) {
		simulate_take(simulator, event);
		timeline->next++;
	} else {
		simulate_leave(simulator, run, run->state == RUN_WAITS ? LEAVE_TIME : LEAVE_TIMEOUT,
		    run->until, NULL);
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
note_ends(struct simulator *simulator)
{
	struct automation_simulation *result = simulator->result;

	for (guint i = 0; i < simulator->runs->len; i++) {
		const struct run *run = simulator->runs->pdata[i];
		bool waits = run->state < RUN_COMPLETED;
		const struct automation_simulation_execution execution = {
		    .state = waits			   ? SIMULATION_WAITING
			     : run->state == RUN_COMPLETED ? SIMULATION_COMPLETED
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

struct base_id
automation_simulation_contact(const char *email)
{
	guint8 digest[SHA256_SIZE];
	struct base_id id;

	base_secret_sha256(email ? email : "", email ? strlen(email) : 0, digest);
	memcpy(id.bytes, digest, sizeof(id.bytes));
	return id;
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
	g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func(simulate_free_run);
	g_autoptr(GStringChunk) texts = g_string_chunk_new(256);
	struct timeline timeline = {events, 0, input->until};
	struct simulator simulator = {
	    .input = input,
	    .result = simulation_new(),
	    .runs = runs,
	    .texts = texts,
	};

	simulate_merge(&simulator.properties, input->properties);
	simulator.fields = simulate_fields_of(input);
	while (advance(&simulator, &timeline))
		continue;
	note_ends(&simulator);
	simulator.result->properties = rule_properties_merge(simulator.properties, NULL);
	g_clear_pointer(&simulator.properties, json_free);
	g_clear_pointer(&simulator.fields, json_free);
	return simulator.result;
}
