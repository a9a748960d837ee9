/* SPDX-License-Identifier: MIT */
/* Drawings of designs in text, for the command line. */
#ifndef AUTOMATION_GRAPH_H
#define AUTOMATION_GRAPH_H

#include <glib.h>

struct automation_design;

/* Draws a design, complete or not, as lines of text, each with a line feed.

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

   Branches that join again continue below them. Nodes that the trigger does not lead to are listed
   at the end. counts: the number for the last column, from node ids (char *) to gint64 *; a missing
   node has 0; NULL: no numbers. A design of more than LIMIT_DESIGN_NODES is not drawn: one line
   says so. The caller owns the text. */
char *automation_graph_draw(const struct automation_design *design, GHashTable *counts);

#endif
