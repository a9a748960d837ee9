/* SPDX-License-Identifier: MIT */
/* Simulates the steps of one execution. */
#include "automation/simulate_run.h"

#include <string.h>
#include <stdbool.h>

#include "automation/design.h"
#include "automation/digest.h"
#include "automation/node.h"
#include "automation/node_request.h"
#include "automation/results.h"
#include "automation/rules.h"
#include "automation/simulate_ending.h"
#include "automation/simulate_sending.h"
#include "automation/simulation.h"
#include "automation/simulator.h"
#include "automation/step.h"
#include "base/clock.h"
#include "fetch/url.h"
#include "json/strict.h"
#include "json/writer.h"
#include "rule/operator.h"
#include "rule/properties.h"

void
automation_simulate_free_run(gpointer data)
{
	struct automation_run *run = data;

	automation_results_free(run->results);
	g_clear_pointer(&run->digest, g_ptr_array_unref);
	g_free(run);
}

bool
automation_simulate_is_late(const struct automation_simulator *simulator)
{
	gint64 deadline = simulator->input->deadline;

	if (deadline && base_clock_boot() >= deadline)
		simulator->result->expired = true;
	return simulator->result->expired;
}

void
automation_simulate_merge(struct json **object, const struct json *patch)
{
	g_autofree char *text = rule_properties_merge(*object, patch);

	g_clear_pointer(object, json_free);
	*object = json_parse(text, strlen(text), NULL);
}

static void
simulate_subscribe(struct automation_simulator *simulator, bool subscribed)
{
	static const char *const patches[] = {"{\"subscribed\":false}", "{\"subscribed\":true}"};
	AUTO(json) patch = json_parse(patches[subscribed], strlen(patches[subscribed]), NULL);

	automation_simulate_merge(&simulator->fields, patch);
}

static void
simulate_finish(struct automation_simulator *simulator, struct automation_run *run,
    enum automation_run_state state, const char *why)
{
	static const char *const ends[] = {
	    [RUN_COMPLETED] = "COMPLETED",
	    [RUN_FAILED] = "FAILED",
	    [RUN_CANCELLED] = "CANCELLED",
	};
	const struct automation_simulation_line line = {
	    .time = run->time,
	    .execution = run->number,
	    .action = (char *)ends[state],
	    .why = (char *)why,
	};

	automation_simulation_add(simulator->result, simulator->input->lines, &line);
	run->state = state;
}

/* Cancels all other executions, and forgets the properties. */
static void
simulate_delete(struct automation_simulator *simulator, gint64 time)
{
	for (guint i = 0; i < simulator->runs->len; i++) {
		struct automation_run *run = simulator->runs->pdata[i];

		if (run->state != RUN_WAITS && run->state != RUN_WAITS_FOR_EVENT)
			continue;
		run->time = time;
		simulate_finish(simulator, run, RUN_CANCELLED, "the contact was deleted");
	}
	g_clear_pointer(&simulator->properties, json_free);
	automation_simulate_merge(&simulator->properties, NULL);
}

/* Keeps what a step gives; makes it fail when that is too much. */
static void
simulate_keep(struct automation_run *run, struct automation_step_result *result)
{
	g_autoptr(GError) failure = NULL;

	if (!result->given ||
	    automation_results_set(run->results, run->node->id, result->given, &failure))
		return;
	result->kind = STEP_FAIL;
	result->message = g_strdup(failure->message);
}

/* The run whose digest is open for another one; NULL: there is none. */
static struct automation_run *
simulate_find_digest(const struct automation_simulator *simulator, const struct automation_run *run,
    const guint8 key[RULE_HASH_SIZE])
{
	for (guint i = 0; i < simulator->runs->len; i++) {
		struct automation_run *other = simulator->runs->pdata[i];

		if (other != run && other->state == RUN_WAITS && other->digest &&
		    other->node == run->node && other->until > run->time &&
		    memcmp(other->digest_key, key, RULE_HASH_SIZE) == 0)
			return other;
	}
	return NULL;
}

/* Lets a run join the digest that is open, or open one. Returns whether it has joined. */
static bool
simulate_gather(struct automation_simulator *simulator, struct automation_run *run,
    const struct automation_step_result *result)
{
	guint8 key[RULE_HASH_SIZE];

	rule_operator_hash(result->key, key);
	struct automation_run *first = simulate_find_digest(simulator, run, key);
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
simulate_apply(struct automation_simulator *simulator, struct automation_run *run,
    struct automation_step_result *result)
{
	g_autofree char *action = automation_node_describe(run->node);
	const bool sends = run->node->type == NODE_SEND_EMAIL && result->kind != STEP_FAIL;
	const bool is_unsent = sends && automation_simulate_is_left(simulator, run->node);
	const struct automation_simulation_line line = {
	    .time = run->time,
	    .execution = run->number,
	    .node = (char *)run->node->id,
	    .action = action,
	    .branch = (char *)result->handle,
	    .why = is_unsent ? (char *)AUTOMATION_UNSENT : result->why,
	};

	if (result->kind == STEP_DIGEST && simulate_gather(simulator, run, result)) {
		automation_simulate_end(simulator, run, RUN_COMPLETED, run->time, "digest", JOINED);
		automation_step_clear(result);
		return;
	}
	automation_simulation_add(simulator->result, simulator->input->lines, &line);
	if (sends && !is_unsent)
		automation_simulate_send(simulator, run);
	simulate_keep(run, result);
	if (result->kind == STEP_UPDATE) {
		automation_simulate_merge(&simulator->properties, result->patch);
		automation_simulate_merge(&simulator->fields, result->names);
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
simulate_input_of(const struct automation_simulator *simulator, const struct automation_run *run)
{
	return (struct automation_step_input){
	    .design = simulator->input->design,
	    .node = run->node,
	    .contact = &simulator->input->contact,
	    .properties = simulator->properties,
	    .event = run->event,
	    .time = run->time,
	    .count = run->count,
	    .explain = !automation_simulation_is_full(simulator->result, simulator->input->lines),
	    .fields = simulator->fields,
	    .segments = simulator->input->segments,
	    .results = run->results,
	    .keeps_results = true,
	};
}

/* The answer to the request of a run's node, in texts of the chunk. */
static struct automation_step_answer
simulate_answer(const struct automation_simulator *simulator, const struct automation_run *run)
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
	g_autofree char *base = automation_node_request_base(&run->node->request);
	g_autofree char *url = fetch_url_parse(base);
	guint port;
	g_autofree char *host = url ? fetch_url_host(url, &port) : g_strdup(base);
	g_autofree char *error = number > 0 ? g_strdup_printf("%s answered %u", host, number)
					    : g_strdup_printf("%s: no answer", host);
	answer.error = g_string_chunk_insert(simulator->texts, error);
	return answer;
}

static void
simulate_run_steps(struct automation_simulator *simulator, struct automation_run *run)
{
	while (run->state == RUN_GOES && !automation_simulate_is_late(simulator)) {
		struct automation_step_result result;
		struct automation_step_answer answer;

		automation_simulate_check_rules(simulator, run, run->time);
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

void
automation_simulate_leave(struct automation_simulator *simulator, struct automation_run *run,
    enum automation_step_leave how, gint64 time, const struct json *released)
{
	struct automation_step_result result;
	g_autofree char *digest = NULL;

	if (how != LEAVE_EVENT)
		automation_simulate_check_rules(simulator, run, time);
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
	simulate_run_steps(simulator, run);
}

void
automation_simulate_start(struct automation_simulator *simulator, const char *name, gint64 time,
    const struct json *event, const guint8 key[RULE_HASH_SIZE])
{
	struct automation_run *run = g_new0(struct automation_run, 1);

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
	simulate_run_steps(simulator, run);
}
