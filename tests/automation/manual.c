/* SPDX-License-Identifier: MIT */
/* Compares posthouse-workflow(5) with the code. */
#include <criterion/criterion.h>
#include <string.h>

#include "automation/design.h"
#include "rule/operator.h"
#include "automation/simulate.h"
#include "tests/automation/sample.h"
#include "tests/support/manual.h"

static char *page;

static void
manual_begin(void)
{
	page = test_manual_read("posthouse-workflow.5");
}

static void
manual_end(void)
{
	g_free(page);
}

TestSuite(manual, .init = manual_begin, .fini = manual_end);

/* Returns the number of items with this word in their head. */
static guint
items_of(const char *word)
{
	g_auto(GStrv) lines = g_strsplit(page, "\n", -1);
	guint items = 0;

	for (char **line = lines; *line; line++) {
		g_auto(GStrv) words = g_strsplit(*line, " ", -1);

		items += g_str_has_prefix(*line, ".It Li ") &&
			 g_strv_contains((const char *const *)words + 2, word);
	}
	return items;
}

Test(manual, has_an_item_for_each_type_and_operator)
{
	for (enum automation_node_type type = NODE_TRIGGER; type <= NODE_EXIT; type++)
		cr_expect_eq(items_of(automation_node_type_name(type)), 1, "%s",
		    automation_node_type_name(type));
	for (enum rule_operator op = 0; op < OPERATOR_COUNT; op++)
		cr_expect_eq(items_of(rule_operator_name(op)), 1, "%s", rule_operator_name(op));
}

/* The example of the manual has no fault, and runs. */
Test(manual, shows_a_design_that_works)
{
	const char *examples = strstr(page, ".Sh EXAMPLES\n");
	cr_assert(examples);
	const char *start = strchr(examples, '{');
	cr_assert(start);
	const char *after = strstr(start, "\n.Ed\n");
	cr_assert(after);
	g_autoptr(GError) error = NULL;
	AUTO(automation_design) design =
	    automation_design_parse(start, (gsize)(after - start), &error);
	cr_assert(design, "%s", error ? error->message : "");
	g_autofree char *faults = sample_faults(design, true);
	cr_expect_str_empty(faults, "%s", faults);

	const struct automation_simulation_event event = {.name = "account.created", .time = 1};
	const struct automation_simulation_input input = {
	    .design = design, .events = &event, .event_count = 1};
	AUTO(automation_simulation) simulation = automation_simulate(&input);
	cr_expect_eq(simulation->completed, 1);
}
