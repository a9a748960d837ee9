/* SPDX-License-Identifier: MIT */
/* The ways through a design. */
#ifndef AUTOMATION_DESIGN_PATH_H
#define AUTOMATION_DESIGN_PATH_H

#include <glib.h>

struct automation_design;

/* Returns the set of nodes that the first trigger leads to, itself included; empty without a
   trigger. The caller owns it. */
GHashTable *automation_design_reached(const struct automation_design *design);

/* Returns the nodes of a circle without a wait for a duration or for an event, in their order; NULL
   when there is none. The caller owns it. */
GPtrArray *automation_design_circle(const struct automation_design *design);

#endif
