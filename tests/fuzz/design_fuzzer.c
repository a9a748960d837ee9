/* SPDX-License-Identifier: MIT */
/* Designs of workflows: lib/automation of any text, checked, drawn and, where it may be active,
   simulated. */
#include "automation/design.h"

#include <string.h>

#include "automation/design_check.h"
#include "automation/graph.h"
#include "automation/simulate.h"
#include "base/limits/workflow.h"
#include "json/strict.h"
#include "tests/fuzz/fuzz.h"

#define HOUR (60 * 60 * 1000LL)
#define EPOCH 1795132800000LL
#define EVENTS 3
#define WEIGHT 1000	   /* of a byte of a design, at most */
#define WEIGHT_LEAST 65536 /* bytes of memory that any design may take */

static const char properties[] = "{\"plan\": \"pro\", \"age\": 30, \"a\": {\"b\": [1, \"x\"]}, "
				 "\"renews_at\": \"2026-11-21T08:00:00Z\"}";

static void
design_fuzzer_check_text(const char *text)
{
	g_assert(!text || g_utf8_validate(text, -1, NULL));
}

/* People read it in a terminal. */
static void
design_fuzzer_check_line(const char *text)
{
	design_fuzzer_check_text(text);
	for (; text && *text; text = g_utf8_next_char(text))
		g_assert(!g_unichar_iscntrl(g_utf8_get_char(text)));
}

static void
design_fuzzer_check_nodes(const struct automation_design *design)
{
	const GPtrArray *nodes = automation_design_nodes(design);

	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		g_assert(automation_design_node(design, node->id) == node);
		g_assert(g_utf8_strlen(node->id, -1) <= LIMIT_NODE_ID_LENGTH);
		design_fuzzer_check_text(node->fault);
		g_autofree char *words = automation_node_describe(node);
		design_fuzzer_check_line(words);
	}
}

static void
check_drawing(const struct automation_design *design)
{
	g_autofree char *drawn = automation_graph_draw(design, NULL);

	design_fuzzer_check_text(drawn);
	g_assert((*drawn == '\0') == (automation_design_nodes(design)->len == 0));
	g_assert(!*drawn || g_str_has_suffix(drawn, "\n"));
	for (const char *p = drawn; *p; p++)
		g_assert(*p == '\n' || !g_ascii_iscntrl(*p));
}

static void
check_faults(const GPtrArray *faults)
{
	g_assert(faults->len <= LIMIT_DESIGN_FAULTS);
	for (guint i = 0; i < faults->len; i++) {
		const struct automation_design_fault *fault = faults->pdata[i];

		g_assert(*fault->message);
		design_fuzzer_check_line(fault->message);
		design_fuzzer_check_text(fault->node);
	}
}

/* The step past the limit is the one that fails. */
static void
check_simulation(const struct automation_simulation *simulation)
{
	gint64 last = G_MININT64;

	g_assert(simulation->executions->len == simulation->started);
	g_assert(simulation->started <= EVENTS);
	g_assert(simulation->completed + simulation->failed + simulation->waiting ==
		 simulation->started);
	for (guint i = 0; i < simulation->started; i++)
		g_assert(
		    g_array_index(simulation->executions, struct automation_simulation_execution, i)
			.steps <= LIMIT_STEPS + 1);
	for (guint i = 0; i < simulation->lines->len; i++) {
		const struct automation_simulation_line *line = simulation->lines->pdata[i];

		g_assert(line->time >= last);
		last = line->time;
		design_fuzzer_check_line(line->action);
		design_fuzzer_check_text(line->why);
	}
	AUTO(json) left = json_parse(simulation->properties, strlen(simulation->properties), NULL);
	g_assert(left);
}

static void
design_fuzzer_simulate(const struct automation_design *design)
{
	AUTO(json) contact = json_parse(properties, strlen(properties), NULL);
	const char *name = automation_design_trigger(design)->event_name;
	const struct automation_simulation_event events[EVENTS] = {
	    {name, EPOCH, contact},
	    {"order.paid", EPOCH + HOUR, NULL},
	    {name, EPOCH + 48 * HOUR, NULL},
	};
	const struct automation_simulation_input input = {
	    .design = design,
	    .properties = contact,
	    .events = events,
	    .event_count = EVENTS,
	};
	AUTO(automation_simulation) simulation = automation_simulate(&input);

	check_simulation(simulation);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	const struct automation_design_lookup lookup = {.sender = ""};
	GError *error = NULL;
	AUTO(automation_design) design =
	    automation_design_parse_strict((const char *)data, size, &error);

	if (!design) {
		fuzz_check_error(error);
		return 0;
	}
	g_assert(automation_design_weight(design) <= WEIGHT_LEAST + size * WEIGHT);
	design_fuzzer_check_nodes(design);
	check_drawing(design);
	g_autoptr(GPtrArray) faults = automation_design_faults(design, &lookup, NULL);
	g_assert(faults);
	check_faults(faults);
	if (faults->len == 0)
		design_fuzzer_simulate(design);
	return 0;
}
