/* SPDX-License-Identifier: MIT */
/* Tests the check with random designs: accepted ones run, and mutated ones have the expected fault.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automation/design.h"
#include "automation/simulate.h"
#include "json/value.h"
#include "tests/automation/random_design.h"
#include "tests/automation/sample.h"
#include "tests/support/steps.h"

#define ROUNDS 1500
#define EVENTS_MAX 12
#define DAY (24 * 60 * 60 * 1000LL)
#define EPOCH 1800000000000LL /* 2027-01-15T08:00:00Z */

static guint32 seed;

static void
random_begin(void)
{
	const char *given = g_getenv("POSTHOUSE_TEST_SEED");

	seed = given ? (guint32)g_ascii_strtoull(given, NULL, 10) : g_random_int();
	fprintf(stderr, "POSTHOUSE_TEST_SEED=%u\n", seed);
}

TestSuite(random_designs, .init = random_begin);

static struct automation_design *
random_parse(const struct random_design *model, char **text_r)
{
	g_autoptr(GError) error = NULL;

	*text_r = random_design_text(model);
	struct automation_design *design =
	    automation_design_parse(*text_r, strlen(*text_r), &error);
	cr_assert(design, "seed %u: %s: %s", seed, *text_r, error ? error->message : "");
	return design;
}

/* The position of an execution, as its lines tell. */
struct trail {
	const struct random_node *node; /* of its last line; NULL: finished, or not begun */
	bool waits, begun;
	const char *branch;
	gint64 time;
};

static bool
random_is(const struct random_node *node, const char *type)
{
	return strcmp(node->type, type) == 0;
}

/* Returns whether a node has two lines: the begin and the end of a wait. */
static bool
is_wait(const struct random_node *node)
{
	return random_is(node, "wait") || random_is(node, "wait_for_event") ||
	       random_is(node, "digest");
}

static bool
may_fail(const struct automation_simulation_line *line)
{
	return g_str_has_prefix(line->why, "property bill") ||
	       g_str_has_prefix(line->why, "property event.bill") ||
	       strcmp(line->why, "more than 1000 steps") == 0;
}

/* Moves the trail to a line; returns the reason when the model's edges do not allow it. */
static const char *
random_follow(const struct random_design *model, struct trail *trail,
    const struct automation_simulation_line *line)
{
	const struct random_node *last = trail->node;

	if (line->time < trail->time)
		return "time runs backwards";
	trail->time = line->time;
	/* A goal, an exit, or an event that has joined a digest ends the execution where it is. */
	if (line->why &&
	    (g_str_has_prefix(line->why, "goal: ") || g_str_has_prefix(line->why, "exit: ") ||
		strstr(line->why, "has joined the digest"))) {
		trail->node = NULL;
		return NULL;
	}
	if (!line->node) {
		trail->node = NULL;
		if (strcmp(line->action, "FAILED") == 0)
			return may_fail(line) ? NULL : "it fails";
		return random_is(last, "exit") ||
			       !random_design_next(model, last->id, trail->branch)
			   ? NULL
			   : "it ends before its end";
	}
	const struct random_node *node = random_design_node(model, line->node);
	const char *want = !trail->begun  ? "t"
			   : trail->waits ? last->id
					  : random_design_next(model, last->id, trail->branch);
	bool leaves = trail->waits;
	if (g_strcmp0(line->node, want) != 0)
		return "it goes where no edge leads";
	trail->waits = is_wait(node) && !leaves && line->why && !strstr(line->why, "has passed");
	trail->begun = true;
	trail->node = node;
	trail->branch = line->branch;
	return NULL;
}

static void
expect_sound(const struct random_design *model, const char *text,
    const struct automation_simulation *simulation)
{
	g_autofree struct trail *trails = g_new0(struct trail, simulation->started + 1);
	guint waiting = 0;

	for (guint i = 0; i < simulation->lines->len; i++) {
		const struct automation_simulation_line *line = simulation->lines->pdata[i];
		const char *fault =
		    line->execution ? random_follow(model, &trails[line->execution], line) : NULL;

		cr_assert_null(fault, "seed %u: %s\nline %u (execution %u, %s: %s): %s", seed, text,
		    i, line->execution, line->node, line->why, fault);
	}
	for (guint i = 1; i <= simulation->started; i++)
		waiting += trails[i].node != NULL;
	cr_expect_eq(waiting, simulation->waiting, "seed %u: %s: %u wait, and %u should", seed,
	    text, simulation->waiting, waiting);
}

static void
random_run(
    const struct random_design *model, const struct automation_design *design, const char *text)
{
	static const char *const names[] = {"order", "order", "paid", "other"};
	static const char *const bodies[] = {"{}", "{'n': 1}", "{'n': 5, 'plan': 'pro'}",
	    "{'bill': '2027-01-16T00:00:00Z', 'tags': ['a']}", "{'bill': 5}"};
	struct automation_simulation_event events[EVENTS_MAX] = {{0}};
	struct json *documents[EVENTS_MAX];
	gint32 count = g_rand_int_range(model->rand, 1, EVENTS_MAX + 1);

	for (gint32 i = 0; i < count; i++) {
		documents[i] = sample_json(random_word(model->rand, bodies, G_N_ELEMENTS(bodies)));
		events[i] = (struct automation_simulation_event){
		    .name = random_word(model->rand, names, G_N_ELEMENTS(names)),
		    .time = EPOCH + g_rand_int_range(model->rand, 0, 30) * DAY / 10,
		    .properties = documents[i]};
	}
	const gint64 end = EPOCH + 60 * DAY;
	const struct automation_simulation_input input = {.design = design,
	    .contact = {{(guint8)g_rand_int_range(model->rand, 0, 256)}},
	    .events = events,
	    .event_count = (guint)count,
	    .until = &end};
	AUTO(automation_simulation) simulation = automation_simulate(&input);
	expect_sound(model, text, simulation);
	while (count-- > 0)
		json_free(documents[count]);
}

Test(random_designs, that_are_accepted_run)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);

	for (guint i = 0, rounds = test_steps(ROUNDS); i < rounds; i++) {
		AUTO(random_design) model = random_design_new(rand);
		g_autofree char *text = NULL;
		AUTO(automation_design) design = random_parse(model, &text);
		g_autofree char *faults = sample_faults(design, true);

		cr_assert_str_empty(faults, "seed %u: %s: %s", seed, text, faults);
		random_run(model, design, text);
	}
}

/* Returns a random node except the trigger, of this type (NULL: any); NULL when there is none. */
static struct random_node *
random_pick(struct random_design *model, const char *type)
{
	struct random_node *found = NULL;
	gint32 count = 0;

	for (guint i = 1; i < model->nodes->len; i++) {
		struct random_node *node = model->nodes->pdata[i];

		if ((!type || random_is(node, type)) &&
		    g_rand_int_range(model->rand, 0, ++count) == 0)
			found = node;
	}
	return found;
}

/* Which edge to pick at random. */
enum which { WITHOUT_HANDLE, WITH_HANDLE, WHATEVER };

static struct random_edge *
pick_edge(struct random_design *model, enum which which)
{
	struct random_edge *found = NULL;
	gint32 count = 0;

	for (guint i = 0; i < model->edges->len; i++) {
		struct random_edge *edge = model->edges->pdata[i];

		if ((which == WHATEVER || (edge->handle != NULL) == (which == WITH_HANDLE)) &&
		    g_rand_int_range(model->rand, 0, ++count) == 0)
			found = edge;
	}
	return found;
}

static void
random_set(char **text, const char *to)
{
	g_free(*text);
	*text = g_strdup(to);
}

/* Each mutation adds one fault to a valid design, and returns the expected message; NULL when the
   design has no place for it. */

static char *
lose_trigger(struct random_design *model)
{
	struct random_node *trigger = model->nodes->pdata[0];

	trigger->type = "exit";
	return g_strdup("the design has no trigger: *");
}

static char *
add_trigger(struct random_design *model)
{
	random_design_add_node(model, "u", "trigger", "'eventName': 'a'");
	return g_strdup("node 'u' is a second trigger beside 't': *");
}

static char *
repeat_node(struct random_design *model)
{
	const struct random_node *node = random_pick(model, NULL);

	if (!node)
		return NULL;
	random_design_add_node(model, node->id, node->type, node->data);
	return g_strdup_printf("node '%s' is there more than once: *", node->id);
}

static char *
lengthen_id(struct random_design *model)
{
	random_design_add_node(
	    model, "01234567890123456789012345678901234567890123456789012345678901234", "exit", "");
	return g_strdup_printf("nodes[%u].id must be *", model->nodes->len - 1);
}

static char *
strand_node(struct random_design *model)
{
	random_design_add_node(model, "u", "wait", WAIT_DATA);
	return g_strdup("node 'u' cannot be reached from the trigger: *");
}

static char *
forget_type(struct random_design *model)
{
	struct random_node *node = random_pick(model, NULL);

	if (!node)
		return NULL;
	node->type = "teleport";
	return g_strdup_printf("node '%s': is of type 'teleport', *", node->id);
}

static char *
spoil_data(struct random_design *model)
{
	static const struct {
		const char *type, *data, *want;
	} all[] = {
	    {"send_email", "'templateId': 'gone'", "template 'gone' does not exist: *"},
	    {"send_email", "'html': 'a'", "has no data.subject: *"},
	    {"wait", "'duration': 0, 'unit': 'days'", "data.duration must be *"},
	    {"wait", "", "does not say how long: *"},
	    {"wait_for_event", "", "data.eventName is required"},
	    {"wait_for_event", "'eventName': 'a', 'timeout': {}", "data.timeout.unit must be *"},
	    {"condition", "'rules': []", "has nothing to decide by: *"},
	    {"condition", "'rules': [{'property': 'a', 'operator': 'is'}]",
		"data.rules[0].operator must be *"},
	    {"update_contact", "'set': {}", "data.set is empty: *"},
	    {"split", "'weights': {'a': 0, 'b': 0}", "data.weights are all 0: *"},
	};
	gint32 i = g_rand_int_range(model->rand, 0, G_N_ELEMENTS(all));
	struct random_node *node = random_pick(model, all[i].type);

	if (!node)
		return NULL;
	random_set(&node->data, all[i].data);
	return g_strdup_printf("node '%s': %s", node->id, all[i].want);
}

static char *
lead_nowhere(struct random_design *model)
{
	struct random_edge *edge = pick_edge(model, WHATEVER);

	if (!edge)
		return NULL;
	random_set(&edge->target, "gone");
	return g_strdup_printf("node '%s': the edge from '%s' to 'gone' leads to node 'gone', *",
	    edge->source, edge->source);
}

static char *
come_from_nowhere(struct random_design *model)
{
	const struct random_node *node = random_pick(model, NULL);

	if (!node)
		return NULL;
	random_design_add_edge(model, "gone", NULL, node->id);
	return g_strdup("the edge from 'gone' to '*' comes from node 'gone', *");
}

static char *
mistake_handle(struct random_design *model)
{
	struct random_edge *edge = pick_edge(model, WITH_HANDLE);

	if (!edge)
		return NULL;
	random_set(&edge->handle, "wrong");
	return g_strdup_printf("node '%s' has no way out 'wrong', *", edge->source);
}

static char *
lose_handle(struct random_design *model)
{
	struct random_edge *edge = pick_edge(model, WITH_HANDLE);

	if (!edge)
		return NULL;
	g_clear_pointer(&edge->handle, g_free);
	return g_strdup_printf(
	    "node '%s': the edge from * does not say by which way out it leaves: *", edge->source);
}

static char *
repeat_edge(struct random_design *model)
{
	const struct random_edge *edge = pick_edge(model, WHATEVER);

	if (!edge)
		return NULL;
	random_design_add_edge(model, edge->source, edge->handle, edge->target);
	return g_strdup_printf("node '%s' has more than one edge out of *", edge->source);
}

static char *
go_on_from_exit(struct random_design *model)
{
	const struct random_node *exit_node = random_pick(model, "exit"),
				 *to = random_pick(model, NULL);

	if (!exit_node)
		return NULL;
	random_design_add_edge(model, exit_node->id, NULL, to->id);
	return g_strdup_printf("node '%s' is an exit, but *", exit_node->id);
}

static char *
lead_to_trigger(struct random_design *model)
{
	struct random_edge *edge = pick_edge(model, WHATEVER);

	if (!edge)
		return NULL;
	random_set(&edge->target, "t");
	return g_strdup_printf("node 't' is a trigger, but the edge from '%s' *", edge->source);
}

/* Inserts two nodes that lead to each other. */
static char *
go_round(struct random_design *model)
{
	struct random_edge *edge = pick_edge(model, WHATEVER);

	if (!edge)
		return NULL;
	random_design_add_node(model, "u", "update_contact", "'set': {'a': 1}");
	random_design_add_node(model, "v", "condition", RULES_DATA);
	random_design_add_edge(model, "u", NULL, "v");
	random_design_add_edge(model, "v", "no", "u");
	random_design_add_edge(model, "v", "yes", edge->target);
	random_set(&edge->target, "u");
	return g_strdup("node '*' is in a circle without a wait (*'u' -> *): *");
}

static const struct {
	char *(*spoil)(struct random_design *model);
	bool alone; /* it causes no other fault */
} mutations[] = {
    {lose_trigger, false},
    {add_trigger, true},
    {repeat_node, true},
    {lengthen_id, true},
    {strand_node, true},
    {forget_type, false},
    {spoil_data, true},
    {lead_nowhere, false},
    {come_from_nowhere, true},
    {mistake_handle, true},
    {lose_handle, true},
    {repeat_edge, true},
    {go_on_from_exit, false},
    {lead_to_trigger, false},
    {go_round, true},
};

static bool
names(char *const *faults, const char *want)
{
	for (; *faults; faults++)
		if (g_pattern_match_simple(want, *faults))
			return true;
	return false;
}

Test(random_designs, that_are_refused_have_the_fault_that_is_named)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
	guint rounds = test_steps(ROUNDS);
	guint done[G_N_ELEMENTS(mutations)] = {0};

	for (guint i = 0; i < rounds * G_N_ELEMENTS(mutations); i++) {
		guint mutation = i % G_N_ELEMENTS(mutations);
		AUTO(random_design) model = random_design_new(rand);
		g_autofree char *given = mutations[mutation].spoil(model), *text = NULL;

		if (!given)
			continue;
		done[mutation]++;
		AUTO(automation_design) design = random_parse(model, &text);
		g_autofree char *want = sample_text(given);
		g_autofree char *got = g_strchomp(sample_faults(design, true));
		g_auto(GStrv) faults = g_strsplit(got, "\n", -1);
		cr_assert(
		    names(faults, want), "seed %u: %s\n got %s\nwant %s", seed, text, got, want);
		cr_assert(!mutations[mutation].alone || g_strv_length(faults) == 1,
		    "seed %u: %s\n got %s\nwant %s alone", seed, text, got, want);
	}
	for (guint i = 0; i < G_N_ELEMENTS(mutations); i++)
		cr_expect_gt(done[i], rounds / 20, "seed %u: mutation %u was made %u times", seed,
		    i, done[i]);
}
