/* SPDX-License-Identifier: MIT */
/* Ways through a design. */
#ifndef AUTOMATION_DESIGN_WALK_H
#define AUTOMATION_DESIGN_WALK_H

#include <glib.h>

struct automation_design;

/* The set of nodes (const struct automation_design_node *) that the first trigger leads to, itself
   included; empty when there is none. The caller owns it. */
GHashTable *automation_design_reached(const struct automation_design *design);

/* The nodes of a circle that an execution would run through without end at once, in their order:
   none of them is a wait for a duration or for an event. NULL when there is none; else the caller
   owns it. */
GPtrArray *automation_design_circle(const struct automation_design *design);

#endif
