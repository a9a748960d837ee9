/* SPDX-License-Identifier: MIT */
/* Plays random designs and events in the engine and in the simulator, and compares the results. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automation/design.h"
#include "automation/simulate.h"
#include "base/clock.h"
#include "json/value.h"
#include "store/automation/step_request.h"
#include "store/template/template.h"
#include "tests/automation/fixture.h"
#include "tests/automation/random_design.h"
#include "tests/support/steps.h"

#define ROUNDS 25
#define EVENTS 5
#define MINUTE G_GINT64_CONSTANT(60000)
#define HORIZON ((gint64)8 * DAY) /* minutes */

/* ms between events of one minute, so that the real clock, which goes on during the test, does not
   change their order. */
#define APART G_GINT64_CONSTANT(10000)

static guint32 seed;

static void
agreement_begin(void)
{
	const char *given = g_getenv("POSTHOUSE_TEST_SEED");

	seed = given ? (guint32)g_ascii_strtoull(given, NULL, 10) : g_random_int();
	fprintf(stderr, "POSTHOUSE_TEST_SEED=%u\n", seed);
}

TestSuite(agreement, .init = agreement_begin, .timeout = 7200);

struct play {
	struct fixture *fixture;
	GRand *rand;
	struct random_design *model;
	struct automation_design *design;
	struct automation_simulation_event events[EVENTS];
	const char *bodies[EVENTS];
	struct json *documents[EVENTS];
};

static int
agreement_compare_events(const void *a, const void *b)
{
	const struct automation_simulation_event *event_a = a, *event_b = b;

	return (event_a->time > event_b->time) - (event_a->time < event_b->time);
}

static void
invent_events(struct play *play, const char *const *bodies, gsize count)
{
	static const char *const names[] = {"order", "order", "paid", "other"};

	for (guint i = 0; i < EVENTS; i++) {
		gint64 minutes = g_rand_int_range(play->rand, 0, 3 * DAY);

		if (i % 2 == 1) /* soon after another */
			minutes = (play->events[i - 1].time - FIXTURE_START) / MINUTE +
				  g_rand_int_range(play->rand, 1, 7);
		play->events[i] = (struct automation_simulation_event){
		    .name = random_word(play->rand, names, G_N_ELEMENTS(names)),
		    .time = FIXTURE_START + minutes * MINUTE + i * APART + APART / 2};
	}
	qsort(play->events, EVENTS, sizeof(*play->events), agreement_compare_events);
	for (guint i = 0; i < EVENTS; i++) {
		play->bodies[i] = random_word(play->rand, bodies, count);
		play->documents[i] = sample_json(play->bodies[i]);
		play->events[i].properties = play->documents[i];
	}
}

/* Returns the text that fixture_show is expected to give. */
static char *
write_ends(const struct automation_simulation *simulation)
{
	static const char *const words[] = {
	    [SIMULATION_WAITING] = "WAITING",
	    [SIMULATION_COMPLETED] = "COMPLETED",
	    [SIMULATION_FAILED] = "FAILED",
	    [SIMULATION_CANCELLED] = "CANCELLED",
	};
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < simulation->executions->len; i++) {
		const struct automation_simulation_execution *execution = &g_array_index(
		    simulation->executions, struct automation_simulation_execution, i);

		g_string_append_printf(text, "%s %s %u", words[execution->state],
		    execution->node->id, execution->steps);
		if (execution->until)
			g_string_append_printf(text, " until %" G_GINT64_FORMAT,
			    (execution->until - FIXTURE_START) / MINUTE);
		if (execution->state == SIMULATION_CANCELLED)
			g_string_append(text, " exit");
		for (guint j = 0; j < simulation->lines->len; j++) {
			const struct automation_simulation_line *line = simulation->lines->pdata[j];

			if (line->execution == i + 1 && strcmp(line->action, "FAILED") == 0)
				g_string_append_printf(
				    text, " %s: %s", execution->node->id, line->why);
		}
		g_string_append_c(text, '\n');
	}
	return g_string_free(text, FALSE);
}

static guint
agreement_count_mails(const struct automation_simulation *simulation)
{
	guint count = 0;

	for (guint i = 0; i < simulation->lines->len; i++) {
		const struct automation_simulation_line *line = simulation->lines->pdata[i];

		/* The step beyond the limit is not made, and has no reason. */
		count += line->why && g_str_has_prefix(line->action, "send_email");
	}
	return count;
}

static struct automation_simulation *
agreement_simulate(struct play *play)
{
	struct base_id contact = {{0}};
	AUTO(db_rows) rows = db_select(play->fixture->db, "SELECT id FROM person", NULL, 0, NULL);

	cr_assert(rows && db_rows_next(rows) && db_rows_id(rows, 0, &contact));
	const gint64 end = FIXTURE_START + HORIZON * MINUTE;
	const struct automation_simulation_input input = {.design = play->design,
	    .contact = contact,
	    .events = play->events,
	    .event_count = EVENTS,
	    .until = &end};
	return automation_simulate(&input);
}

/* Answers a request that is leased, as the simulator does, and at once. */
static void
agreement_answer(struct play *play, const struct store_step_request *request)
{
	const struct store_step_outcome outcome = {.execution = &request->execution_id,
	    .token = request->token,
	    .attempts = 1,
	    .status = 200,
	    .body = "{}"};
	bool done;

	cr_assert(store_step_request_end(play->fixture->db, &outcome, &done, NULL) && done);
}

/* Answers all requests. Returns whether there were any. */
static bool
agreement_answer_all(struct play *play)
{
	struct db *db = play->fixture->db;
	g_autoptr(GPtrArray) hosts = store_step_request_hosts(db, base_clock_now(), 10, NULL);

	cr_assert(hosts);
	for (guint i = 0; i < hosts->len; i++) {
		const struct store_step_lease lease = {.host = hosts->pdata[i],
		    .owner = "test",
		    .token = 1,
		    .now = base_clock_now(),
		    .until = base_clock_now() + MINUTE,
		    .limit = STORE_STEP_REQUESTS_MOST};
		g_autoptr(GPtrArray) due = store_step_request_lease(db, &lease, NULL);

		cr_assert(due);
		for (guint j = 0; j < due->len; j++)
			agreement_answer(play, due->pdata[j]);
	}
	return hosts->len > 0;
}

/* Runs the engine until it neither has a step to do nor a request to make. */
static void
agreement_run(struct play *play)
{
	do
		fixture_run(play->fixture);
	while (agreement_answer_all(play));
}

static void
agreement_run_at(struct play *play, gint64 time)
{
	base_clock_set(time);
	agreement_run(play);
}

/* Runs the engine at the end of each wait. */
static void
play_promptly(struct play *play)
{
	for (guint i = 0; i < EVENTS; i++) {
		gint64 until =
		    i + 1 < EVENTS ? play->events[i + 1].time : FIXTURE_START + HORIZON * MINUTE;

		base_clock_set(play->events[i].time);
		fixture_event(play->fixture, play->events[i].name, play->bodies[i]);
		agreement_run(play);
		for (;;) {
			gint64 due = test_db_number(
			    play->fixture->db, "SELECT COALESCE(MIN(ready_at), 0) FROM execution");

			if (due == 0 || due >= until)
				break;
			agreement_run_at(play, due + APART / 4);
		}
	}
	agreement_run_at(play, FIXTURE_START + HORIZON * MINUTE);
}

/* Runs the engine from time to time. */
static void
play_lazily(struct play *play)
{
	for (guint i = 0; i < EVENTS; i++) {
		base_clock_set(play->events[i].time);
		fixture_event(play->fixture, play->events[i].name, play->bodies[i]);
		if (g_rand_boolean(play->rand))
			agreement_run(play);
		gint64 later = play->events[i].time + APART / 3 +
			       g_rand_int_range(play->rand, 0, DAY) * MINUTE;
		if (g_rand_boolean(play->rand) &&
		    (i + 1 == EVENTS || later < play->events[i + 1].time))
			agreement_run_at(play, later);
	}
	agreement_run_at(play, FIXTURE_START + HORIZON * MINUTE);
}

static void
clean(struct fixture *fixture)
{
	static const char *const tables[] = {"execution", "execution_step", "execution_wait",
	    "execution_email", "execution_watch", "step_request", "digest", "digest_event",
	    "workflow_key", "workflow_entry", "workflow_trigger", "automation_event", "person"};

	for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autofree char *sql = g_strdup_printf("DELETE FROM %s", tables[i]);
		test_db_plain(fixture->db, sql);
	}
}

static void
agreement_clear(struct play *play)
{
	random_design_free(play->model);
	automation_design_free(play->design);
	for (guint i = 0; i < EVENTS; i++)
		json_free(play->documents[i]);
}

/* The steps that the engine has kept, a line for each: node, branch, why, minute at which it was
   left. The caller owns it. */
static char *
show_steps(struct fixture *fixture)
{
	static const char sql[] = "SELECT step_id, branch, why, left_at FROM execution_step"
				  " ORDER BY execution_id, sequence";
	AUTO(db_rows) rows = db_select(fixture->db, sql, NULL, 0, NULL);
	GString *text = g_string_new(NULL);

	cr_assert(rows);
	while (db_rows_next(rows))
		g_string_append_printf(text, "%s|%s|%s|%" G_GINT64_FORMAT "\n",
		    db_rows_text(rows, 0), db_rows_text(rows, 1), db_rows_text(rows, 2),
		    (db_rows_int(rows, 3) - FIXTURE_START) / MINUTE);
	return g_string_free(text, FALSE);
}

/* Whether a line is a step that the execution has left: not the begin of a wait, not a failure. */
static bool
agreement_is_left(const struct automation_simulation *simulation, guint i)
{
	const struct automation_simulation_line *line = simulation->lines->pdata[i];
	const struct automation_simulation_line *next =
	    i + 1 < simulation->lines->len ? simulation->lines->pdata[i + 1] : NULL;
	bool begins =
	    (g_str_has_prefix(line->action, "wait") || g_str_has_prefix(line->action, "digest ")) &&
	    line->why && !line->branch &&
	    (g_str_has_prefix(line->why, "until ") || g_str_has_prefix(line->why, "for "));

	return line->node && !begins && !(next && strcmp(next->action, "FAILED") == 0);
}

/* The same as the simulator tells it. */
static char *
tell_steps(const struct automation_simulation *simulation)
{
	GString *text = g_string_new(NULL);

	for (guint number = 1; number <= simulation->started; number++)
		for (guint i = 0; i < simulation->lines->len; i++) {
			const struct automation_simulation_line *line = simulation->lines->pdata[i];

			if (line->execution == number && agreement_is_left(simulation, i))
				g_string_append_printf(text, "%s|%s|%s|%" G_GINT64_FORMAT "\n",
				    line->node, line->branch, line->why,
				    (line->time - FIXTURE_START) / MINUTE);
		}
	return g_string_free(text, FALSE);
}

static void
play_round(
    struct play *play, void (*engine)(struct play *play), const char *const *bodies, gsize count)
{
	g_autofree char *nodes = random_design_nodes(play->model);
	g_autofree char *edges = random_design_edges(play->model);

	clean(play->fixture);
	base_clock_set(FIXTURE_START);
	play->design = sample_design(nodes, edges);
	invent_events(play, bodies, count);
	fixture_workflow(play->fixture, nodes, edges);
	engine(play);
	gint64 mails = test_db_number(play->fixture->db, "SELECT COUNT(*) FROM execution_email");
	g_autofree char *got = fixture_show(play->fixture);
	AUTO(automation_simulation) simulation = agreement_simulate(play);
	g_autofree char *want = write_ends(simulation);
	g_autoptr(GString) story = g_string_new(NULL);
	for (guint i = 0; i < EVENTS; i++)
		g_string_append_printf(story, "%s@%.2f:%s ", play->events[i].name,
		    (double)(play->events[i].time - FIXTURE_START) / MINUTE, play->bodies[i]);
	cr_assert_str_eq(got, want, "seed %u: %s\n%s\n%s\nengine:\n%ssimulator:\n%s", seed, nodes,
	    edges, story->str, got, want);
	cr_assert_eq(mails, agreement_count_mails(simulation),
	    "seed %u: %s\n%s\n%s: %d emails, %u wanted", seed, nodes, edges, story->str, (int)mails,
	    agreement_count_mails(simulation));
	fixture_expect_steps(play->fixture);
	g_autofree char *steps = show_steps(play->fixture), *told = tell_steps(simulation);
	cr_assert_str_eq(steps, told, "seed %u: %s\n%s\n%s\nengine:\n%ssimulator:\n%s", seed, nodes,
	    edges, story->str, steps, told);
	agreement_clear(play);
}

static void
agreement_add_template(struct fixture *fixture, const char *id, const char *subject)
{
	AUTO(store_template) template = g_new0(struct store_template, 1);
	g_autoptr(GError) error = NULL;

	template->workspace_id = fixture->house->workspace;
	template->id = g_strdup(id);
	template->name = g_strdup(id);
	template->subject = g_strdup(subject);
	template->variables = g_strdup("{}");
	template->html = g_bytes_new_static("Hello", strlen("Hello"));
	cr_assert(store_template_create(fixture->db, template, &error), "%s",
	    error ? error->message : "");
}

static struct fixture *
open_stage(void)
{
	struct fixture *fixture = fixture_open();

	agreement_add_template(fixture, "hello", "Hello");
	agreement_add_template(fixture, "bare", NULL);
	return fixture;
}

Test(agreement, of_engine_and_simulator_step_by_step)
{
	static const char *const bodies[] = {"{}", "{'n': 1}", "{'n': 5, 'plan': 'pro'}",
	    "{'bill': '2027-01-16T00:00:00Z', 'tags': ['a']}", "{'bill': 5}"};
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
	AUTO(fixture) fixture = open_stage();
	struct play play = {.fixture = fixture, .rand = rand};

	for (guint i = 0, rounds = test_steps(ROUNDS); i < rounds; i++) {
		play.model = random_design_new(rand);
		play_round(&play, play_promptly, bodies, G_N_ELEMENTS(bodies));
	}
}

Test(agreement, however_late_the_engine_is)
{
	static const char *const bodies[] = {"{}", "{'n': 1}", "{'n': 5}"};
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
	AUTO(fixture) fixture = open_stage();
	struct play play = {.fixture = fixture, .rand = rand};

	for (guint i = 0, rounds = test_steps(ROUNDS); i < rounds; i++) {
		play.model = random_design_steady(rand);
		play_round(&play, play_lazily, bodies, G_N_ELEMENTS(bodies));
	}
}
