/* SPDX-License-Identifier: MIT */
#ifndef AUTOMATION_GRAPH_H
#define AUTOMATION_GRAPH_H

#include <glib.h>

struct automation_design;

/* Draws a design, a draft as well, for people: lines of text, each with a line feed.

	[start] trigger order.placed                     0
	 |
	[paid] wait_for_event order.paid, at most 2 days  7
	 +- event
	 |  [thanks] send_email "Thank you"              0
	 |   -> [end]
	 +- timeout
	 |  [remind] send_email "Still there?"           0
	 |   -> [paid] (above)
	 |
	[end] exit                                       0

   Ways that come together again go on behind the branches. Nodes that the trigger does not lead to
   stand below. counts: a number for each node, in the last column: ids (char *) to gint64 *, a node
   that is not in it has 0; NULL: no numbers. A draft of more than LIMIT_DESIGN_NODES is not drawn:
   a line says so. The caller owns the text. */
char *automation_graph_draw(const struct automation_design *design, GHashTable *counts);

#endif
