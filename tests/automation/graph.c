/* SPDX-License-Identifier: MIT */
/* Tests the drawings of designs. */
#include "automation/graph.h"

#include <criterion/criterion.h>
#include <string.h>

#include "automation/design.h"
#include "base/limits/workflow.h"
#include "tests/automation/sample.h"

#define MAIL(id) NODE(id, "send_email", "'templateId': '" id "'")

static const char diamond[] = TRIGGER
    "," NODE("paid", "wait_for_event", "'eventName': 'order.paid', 'timeout': {'duration': 2, 'unit': 'days'}") "," MAIL(
	"thanks") "," MAIL("remind") "," EXIT;
static const char diamond_edges[] =
    EDGE("t", "paid") "," EDGE_BY("paid", "event", "thanks") "," EDGE_BY(
	"paid", "timeout", "remind") "," EDGE("thanks", "x") "," EDGE("remind", "x");

Test(graph, draws_branches_that_meet_again_and_counts)
{
	AUTO(automation_design) design = sample_design(diamond, diamond_edges);
	g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
	gint64 waiting = 1234567, sending = 3;

	g_hash_table_insert(counts, (char *)"paid", &waiting);
	g_hash_table_insert(counts, (char *)"remind", &sending);
	g_autofree char *got = automation_graph_draw(design, counts);
	cr_expect_str_eq(got,
	    "[t] trigger order                                 0\n"
	    " |\n"
	    "[paid] wait_for_event order.paid, at most 2 days  1234567\n"
	    " +- event\n"
	    " |  [thanks] send_email template thanks           0\n"
	    " |   -> [x]\n"
	    " +- timeout\n"
	    " |  [remind] send_email template remind           3\n"
	    " |   -> [x]\n"
	    " |\n"
	    "[x] exit                                          0\n",
	    "%s", got);
}

Test(graph, draws_circles_ends_and_nested_branches)
{
	AUTO(automation_design) design = sample_design(TRIGGER
	    "," NODE("s", "split", "'weights': {'b': 1, 'a': 2, 'c': 0}") "," NODE(
		"c", "condition", RULES_DATA) "," MAIL("m") "," NODE("w", "wait", WAIT_DATA),
	    EDGE("t", "s") "," EDGE_BY("s", "a", "c") "," EDGE_BY("s", "b", "m") "," EDGE_BY(
		"c", "yes", "m") "," EDGE_BY("c", "no", "s") "," EDGE("m", "w") "," EDGE("w", "c"));
	g_autofree char *got = automation_graph_draw(design, NULL);

	cr_expect_str_eq(got,
	    "[t] trigger order\n"
	    " |\n"
	    "[s] split a 2, b 1, c 0\n"
	    " +- a\n"
	    " |  [c] condition plan equals \"pro\"\n"
	    " |   +- yes\n"
	    " |   |   -> [m]\n"
	    " |   +- no\n"
	    " |       -> [s] (above)\n"
	    " +- b\n"
	    " |   -> [m]\n"
	    " +- c: the end\n"
	    " |\n"
	    "[m] send_email template m\n"
	    " |\n"
	    "[w] wait 1 day\n"
	    " -> [c] (above)\n",
	    "%s", got);
}

Test(graph, draws_drafts)
{
	AUTO(automation_design) design =
	    sample_design("{'id': 'a'}, {'id': 'b', 'type': 'wait'}," EXIT,
		EDGE("b", "x") "," EDGE("b", "gone") "," EDGE("x", "b"));
	AUTO(automation_design) started = sample_design(TRIGGER "," EXIT, "");
	AUTO(automation_design) empty = sample_design("", "");
	g_autofree char *got = automation_graph_draw(design, NULL);
	g_autofree char *got_started = automation_graph_draw(started, NULL);
	g_autofree char *got_empty = automation_graph_draw(empty, NULL);

	cr_expect_str_eq(got,
	    "[a] no type (not valid)\n"
	    "[b] wait (not valid)\n"
	    " |\n"
	    "[x] exit\n"
	    " -> [b] (above)\n",
	    "%s", got);
	cr_expect_str_eq(got_started,
	    "[t] trigger order\n"
	    "not reached from the trigger:\n"
	    "[x] exit\n",
	    "%s", got_started);
	cr_expect_str_empty(got_empty);
}

/* Nested conditions. */
Test(graph, draws_as_many_nodes_as_may_be_active)
{
	for (guint count = LIMIT_DESIGN_NODES; count <= LIMIT_DESIGN_NODES + 1; count++) {
		g_autoptr(GString) nodes = g_string_new(TRIGGER);
		g_autoptr(GString) edges = g_string_new(EDGE("t", "1"));

		for (guint i = 1; i < count; i++) {
			g_string_append_printf(nodes,
			    ", {'id': '%u', 'type': 'condition', 'data': {" RULES_DATA "}}", i);
			if (i > 1)
				g_string_append_printf(edges,
				    ", {'source': '%u', 'sourceHandle': 'yes', 'target': '%u'}",
				    i - 1, i);
		}
		AUTO(automation_design) design = sample_design(nodes->str, edges->str);
		g_autofree char *got = automation_graph_draw(design, NULL);

		if (count > LIMIT_DESIGN_NODES)
			cr_expect_str_eq(got, "501 nodes are too many to draw\n", "%s", got);
		else
			cr_expect_not_null(strstr(got, "[499] condition"));
	}
}

Test(graph, stays_on_its_lines_whatever_names_are)
{
	AUTO(automation_design) design =
	    sample_design(TRIGGER "," NODE("a\\u001b[2J", "split", "'weights': {'x\\ny': 1}"),
		EDGE("t", "a\\u001b[2J") "," EDGE_BY("a\\u001b[2J", "x\\ny", "t"));
	g_autofree char *got = automation_graph_draw(design, NULL);

	cr_expect_str_eq(got,
	    "[t] trigger order\n"
	    " |\n"
	    "[a [2J] split x y 1\n"
	    " +- x y\n"
	    "     -> [t] (above)\n",
	    "%s", got);
}
