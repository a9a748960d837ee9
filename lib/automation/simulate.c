/* SPDX-License-Identifier: MIT */
/* Simulates a design for one contact on a virtual clock, and reports each step. */
#include "automation/simulate.h"

#include <stdbool.h>
#include <string.h>

#include "automation/design.h"
#include "automation/digest.h"
#include "automation/duration.h"
#include "automation/ending.h"
#include "rule/event_name.h"
#include "rule/operator.h"
#include "automation/node.h"
#include "rule/properties.h"
#include "automation/results.h"
#include "automation/rules.h"
#include "automation/step.h"
#include "base/clock.h"
#include "base/secret.h"
#include "json/strict.h"
#include "json/writer.h"
#include "sending/rules.h"

enum run_state {
	RUN_GOES,
	RUN_WAITS,
	RUN_WAITS_FOR_EVENT,
	RUN_COMPLETED,
	RUN_FAILED,
	RUN_CANCELLED
};

/* One execution. */
struct run {
	guint number;
	enum run_state state;
	const struct automation_design_node *node;
	gint64 time;			    /* of the step */
	gint64 until;			    /* end of a wait, 0 = no end */
	guint count;			    /* nodes visited */
	const char *event_name;		    /* of the event that started it, */
	gint64 started;			    /* its time, */
	const struct json *event;	    /* and properties */
	struct automation_results *results; /* of its steps */
	guint8 key[RULE_HASH_SIZE];	    /* of the value of the trigger's key */
	bool has_goal;			    /* it has reached it */
	GPtrArray *digest; /* of char *: the events of the digest that it has opened; NULL: none */
	guint8 digest_key[RULE_HASH_SIZE];
};

/* A mailing that waits for an opening. */
struct mailing {
	gint64 time; /* of the opening */
	guint execution;
	const char *node; /* its id */
};

/* The contact and its executions. */
struct simulator {
	const struct automation_simulation_input *input;
	struct automation_simulation *result;
	GPtrArray *runs;	 /* of struct run */
	GArray *leaving;	 /* struct mailing: those that wait for an opening, by time */
	GStringChunk *texts;	 /* of answers */
	struct json *properties; /* of the contact */
	struct json *fields;	 /* of the contact: its email and names */
};

static void
simulate_free_run(gpointer data)
{
	struct run *run = data;

	automation_results_free(run->results);
	g_clear_pointer(&run->digest, g_ptr_array_unref);
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

/* Reports that a mailing leaves; waited: it has waited for that time. */
static void
simulate_tell_leaving(struct simulator *simulator, const struct mailing *mailing, bool waited)
{
	g_autofree char *why = waited ? sending_hours_text(mailing->time) : NULL;
	const struct automation_simulation_line line = {
	    .time = mailing->time,
	    .execution = mailing->execution,
	    .node = (char *)mailing->node,
	    .action = (char *)"leaves",
	    .why = why,
	};

	simulate_add_line(simulator, &line);
}

/* Lets a mailing leave, at once or at the next opening of the design's hours. */
static void
simulate_send(struct simulator *simulator, const struct run *run)
{
	const struct automation_node_trigger *trigger =
	    automation_design_trigger(simulator->input->design);
	const struct automation_node_email *email = &run->node->email;

	if (!trigger || trigger->hours.count == 0 || (email->is_transactional && !email->topic_id))
		return;
	const struct mailing mailing = {
	    sending_hours_opening(&trigger->hours, simulator->input->time_zone, run->time),
	    run->number, run->node->id};
	guint at = simulator->leaving->len;
	if (mailing.time <= run->time) {
		simulate_tell_leaving(simulator, &mailing, false);
		return;
	}
	while (
	    at > 0 && g_array_index(simulator->leaving, struct mailing, at - 1).time > mailing.time)
		at--;
	g_array_insert_val(simulator->leaving, at, mailing);
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

/* Ends a run where it stands, or notes its goal, with a line of its own. */
static void
simulate_end(struct simulator *simulator, struct run *run, enum run_state state, gint64 time,
    const char *action, const char *why)
{
	const struct automation_simulation_line line = {
	    .time = time,
	    .execution = run->number,
	    .node = (char *)run->node->id,
	    .action = (char *)action,
	    .why = (char *)why,
	};

	simulate_add_line(simulator, &line);
	run->state = state;
	run->time = time;
}

/* Returns whether the goal (is_goal) or an exit of a run holds, at an event or, if that is NULL,
   before a step. Appends the reason to why. */
static bool
simulate_test_ending(struct simulator *simulator, struct run *run, bool is_goal,
    const struct automation_simulation_event *event, gint64 time, GString *why)
{
	const struct automation_node_trigger *trigger =
	    automation_design_trigger(simulator->input->design);
	const struct automation_endings *endings = trigger ? trigger->endings : NULL;
	const struct automation_rules_scope scope = {.contact = simulator->properties,
	    .event = event ? event->properties : NULL,
	    .fields = simulator->fields,
	    .started = run->event,
	    .segments = simulator->input->segments,
	    .results = run->results};

	if (!endings || (!event && !endings->has_rules) || time < run->started ||
	    (event && time == run->started))
		return false;
	if (is_goal && (run->has_goal || (endings->within ? time >= run->started + endings->within
							  : run->state >= RUN_COMPLETED)))
		return false;
	if (!is_goal && run->state >= RUN_COMPLETED)
		return false;
	return automation_endings_hold(
	    is_goal ? endings->goals : endings->exits, event ? event->name : NULL, &scope, why);
}

/* Carries out an ending. */
static void
simulate_carry_end(
    struct simulator *simulator, struct run *run, bool is_goal, gint64 time, const char *why)
{
	const struct automation_endings *endings =
	    automation_design_trigger(simulator->input->design)->endings;
	bool goes_on = is_goal && (endings->goes_on || run->state >= RUN_COMPLETED);
	enum run_state state = goes_on ? run->state : is_goal ? RUN_COMPLETED : RUN_CANCELLED;
	gint64 step_time = run->time;

	run->has_goal |= is_goal;
	simulate_end(simulator, run, state, time, is_goal ? "goal" : "exit", why);
	if (goes_on)
		run->time = step_time;
}

/* Ends a run before its step, if rules of its goal or an exit hold. */
static void
simulate_check_rules(struct simulator *simulator, struct run *run, gint64 time)
{
	for (guint i = 0; i < 2 && run->state < RUN_COMPLETED; i++) {
		bool is_goal = i == 0;
		g_autoptr(GString) why = g_string_new(is_goal ? "goal: " : "exit: ");

		if (simulate_test_ending(simulator, run, is_goal, NULL, time, why))
			simulate_carry_end(simulator, run, is_goal, time, why->str);
	}
}

/* The run whose digest is open for another one; NULL: there is none. */
static struct run *
simulate_find_digest(
    const struct simulator *simulator, const struct run *run, const guint8 key[RULE_HASH_SIZE])
{
	for (guint i = 0; i < simulator->runs->len; i++) {
		struct run *other = simulator->runs->pdata[i];

		if (other != run && other->state == RUN_WAITS && other->digest &&
		    other->node == run->node && other->until > run->time &&
		    memcmp(other->digest_key, key, RULE_HASH_SIZE) == 0)
			return other;
	}
	return NULL;
}

/* Lets a run join the digest that is open, or open one. Returns whether it has joined. */
static bool
simulate_gather(
    struct simulator *simulator, struct run *run, const struct automation_step_result *result)
{
	guint8 key[RULE_HASH_SIZE];

	rule_operator_hash(result->key, key);
	struct run *first = simulate_find_digest(simulator, run, key);
	if (!first) {
		run->digest = g_ptr_array_new_with_free_func(g_free);
		memcpy(run->digest_key, key, RULE_HASH_SIZE);
	}
	g_ptr_array_add(
	    (first ? first : run)->digest, automation_digest_event(run->event, run->started));
	return first != NULL;
}

#define JOINED "the event has joined the digest that is open"

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

	if (result->kind == STEP_DIGEST && simulate_gather(simulator, run, result)) {
		simulate_end(simulator, run, RUN_COMPLETED, run->time, "digest", JOINED);
		automation_step_clear(result);
		return;
	}
	simulate_add_line(simulator, &line);
	if (run->node->type == NODE_SEND_EMAIL && result->kind != STEP_FAIL)
		simulate_send(simulator, run);
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
	} else if (result->kind == STEP_WAIT || result->kind == STEP_WAIT_EVENT ||
		   result->kind == STEP_DIGEST) {
		run->state = result->kind == STEP_WAIT_EVENT ? RUN_WAITS_FOR_EVENT : RUN_WAITS;
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
		struct automation_step_result result;
		struct automation_step_answer answer;

		simulate_check_rules(simulator, run, run->time);
		if (run->state != RUN_GOES)
			break;
		struct automation_step_input input = simulate_input_of(simulator, run);
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
	g_autofree char *digest = NULL;

	if (how != LEAVE_EVENT)
		simulate_check_rules(simulator, run, time);
	if (run->state >= RUN_COMPLETED)
		return;
	if (run->digest)
		digest = automation_digest_result(run->digest, run->digest->len);
	g_clear_pointer(&run->digest, g_ptr_array_unref);
	run->time = time;
	struct automation_step_input input = simulate_input_of(simulator, run);
	input.released = released;
	input.digest = digest;
	automation_step_leave(&input, how, &result);
	simulate_apply(simulator, run, &result);
	run_steps(simulator, run);
}

/* Starts a run by an event, and runs its steps until it waits or ends. name and event (properties;
   NULL: none) are borrowed. */
static void
simulate_start(struct simulator *simulator, const char *name, gint64 time, const struct json *event,
    const guint8 key[RULE_HASH_SIZE])
{
	struct run *run = g_new0(struct run, 1);

	run->number = ++simulator->result->started;
	run->node = automation_design_start(simulator->input->design);
	run->time = time;
	run->count = 1;
	run->event_name = name;
	run->started = time;
	run->event = event;
	memcpy(run->key, key, RULE_HASH_SIZE);
	run->results = automation_results_new(automation_design_ids(simulator->input->design));
	g_ptr_array_add(simulator->runs, run);
	run_steps(simulator, run);
}

/* The first unfinished run by the value of a key. */
static const struct run *
find_unfinished(const struct simulator *simulator, const guint8 key[RULE_HASH_SIZE])
{
	for (guint i = 0; i < simulator->runs->len; i++) {
		const struct run *run = simulator->runs->pdata[i];

		if (run->state < RUN_COMPLETED && memcmp(run->key, key, RULE_HASH_SIZE) == 0)
			return run;
	}
	return NULL;
}

/* The last run by the value of a key; NULL: there is none yet. */
static const struct run *
find_last(const struct simulator *simulator, const guint8 key[RULE_HASH_SIZE])
{
	for (guint i = simulator->runs->len; i > 0; i--) {
		const struct run *run = simulator->runs->pdata[i - 1];

		if (memcmp(run->key, key, RULE_HASH_SIZE) == 0)
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
    const struct automation_simulation_event *event, const guint8 key[RULE_HASH_SIZE], GString *why)
{
	const struct run *unfinished = find_unfinished(simulator, key),
			 *last = find_last(simulator, key);

	if (last && automation_step_is_duplicate(
			trigger, last->event_name, last->started, event->name, event->time)) {
		g_autofree char *ago = automation_duration_format(event->time - last->started);
		g_autofree char *window = automation_duration_format(trigger->dedupe_window);
		g_string_append_printf(why,
		    "starts nothing: deduplicated, as the last start was %s ago and "
		    "dedupe_window is %s",
		    ago, window);
		return false;
	}
	if (trigger->reentry == REENTRY_ONCE && last)
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

/* Returns whether the event starts an execution, by the value of the trigger's key; appends the
   reason to why. */
static bool
decide_start(const struct simulator *simulator, const struct automation_simulation_event *event,
    guint8 key_r[RULE_HASH_SIZE], GString *why)
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
	if (automation_endings_bar(trigger->endings, &scope)) {
		g_string_append(why, "starts nothing: its goal or an exit holds already");
		return false;
	}
	rule_operator_hash(
	    trigger->key ? automation_rules_value(trigger->key, &scope) : NULL, key_r);
	if (!may_start(simulator, trigger, event, key_r, why))
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

/* A run that an event ends, or whose goal it reaches. */
struct ending {
	struct run *run;
	bool is_goal;
	char *why;
	enum run_state state; /* before */
};

static void
simulate_clear_ending(void *ending)
{
	g_free(((struct ending *)ending)->why);
}

/* Finds the runs whose goals and then those whose exits the event is. Those that it ends count as
   ended from then on. Appends to why which ones they are. The caller owns the array, of struct
   ending. */
static GArray *
find_endings(
    struct simulator *simulator, const struct automation_simulation_event *event, GString *why)
{
	GArray *endings = g_array_new(FALSE, FALSE, sizeof(struct ending));

	g_array_set_clear_func(endings, simulate_clear_ending);
	for (guint i = 0; i < 2 * simulator->runs->len; i++) {
		bool is_goal = i < simulator->runs->len;
		struct run *run = simulator->runs->pdata[i % simulator->runs->len];
		g_autoptr(GString) reason = g_string_new(is_goal ? "goal: " : "exit: ");

		if (!simulate_test_ending(simulator, run, is_goal, event, event->time, reason))
			continue;
		const struct automation_endings *of =
		    automation_design_trigger(simulator->input->design)->endings;
		struct ending ending = {run, is_goal, g_strdup(reason->str), run->state};
		if (!is_goal || !of->goes_on)
			run->state = MAX(run->state, is_goal ? RUN_COMPLETED : RUN_CANCELLED);
		g_string_append_printf(why, "%s%s of execution %u", why->len ? "; " : "",
		    is_goal ? "goal" : "exit", run->number);
		g_array_append_val(endings, ending);
	}
	return endings;
}

static void
simulate_take(struct simulator *simulator, const struct automation_simulation_event *event)
{
	g_autoptr(GString) why = g_string_new(NULL);
	guint8 key[RULE_HASH_SIZE];

	if (event->properties && !rule_event_name_reserved(event->name) &&
	    !rule_event_name_is_own(event->name))
		simulate_merge(&simulator->properties, event->properties);
	g_autoptr(GString) ended = g_string_new(NULL);
	g_autoptr(GArray) endings = find_endings(simulator, event, ended);
	bool starts = decide_start(simulator, event, key, why);
	g_autoptr(GPtrArray) released = find_released(simulator, event, why);
	if (ended->len > 0) {
		g_string_prepend(why, why->len > 0 ? "; " : "");
		g_string_prepend(why, ended->str);
	}
	g_autofree char *action = g_strdup_printf("event %s", event->name);
	const struct automation_simulation_line line = {
	    .time = event->time,
	    .action = action,
	    .why = why->len ? why->str : (char *)"nothing waits for it",
	};
	simulate_add_line(simulator, &line);
	for (guint i = 0; i < endings->len; i++) {
		const struct ending *ending = &g_array_index(endings, struct ending, i);

		ending->run->state = ending->state;
		simulate_carry_end(
		    simulator, ending->run, ending->is_goal, event->time, ending->why);
	}
	for (guint i = 0; i < released->len; i++)
		simulate_leave(
		    simulator, released->pdata[i], LEAVE_EVENT, event->time, event->properties);
	if (starts)
		simulate_start(simulator, event->name, event->time, event->properties, key);
}

/* Processes the end of one wait, one event or a mailing that leaves, whichever is earliest. Returns
 * false when none is left. */
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
	gint64 time = waits ? run->until : event ? event->time : G_MAXINT64;
	bool leaves = simulator->leaving->len > 0 &&
		      g_array_index(simulator->leaving, struct mailing, 0).time <= time;
	gint64 until = timeline->until;

	if (leaves)
		time = g_array_index(simulator->leaving, struct mailing, 0).time;
	if (simulate_is_late(simulator) || (!run && !event && !leaves) || (until && time > until))
		return false;
	if (leaves) {
		simulate_tell_leaving(
		    simulator, &g_array_index(simulator->leaving, struct mailing, 0), true);
		g_array_remove_index(simulator->leaving, 0);
	} else if (!waits) {
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
	g_autoptr(GArray) leaving = g_array_new(FALSE, FALSE, sizeof(struct mailing));
	g_autoptr(GStringChunk) texts = g_string_chunk_new(256);
	struct timeline timeline = {events, 0, input->until};
	struct simulator simulator = {
	    .input = input,
	    .result = simulation_new(),
	    .runs = runs,
	    .leaving = leaving,
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
