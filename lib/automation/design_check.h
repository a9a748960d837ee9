/* SPDX-License-Identifier: MIT */
/* The check that a design has to pass before its workflow may be active. */
#ifndef AUTOMATION_DESIGN_CHECK_H
#define AUTOMATION_DESIGN_CHECK_H

#include <glib.h>
#include <stdbool.h>

#include "automation/design_lookup.h"

struct automation_design;

/* Returns all faults of a design, of struct automation_design_fault (automation/design.h); empty
   when it may be active. The design must have: exactly one trigger, to which no edge leads; ids of
   1 to LIMIT_NODE_ID_LENGTH characters, each once; at most LIMIT_DESIGN_NODES nodes; known types
   and valid data without unknown members; templates, topics, audiences and segments that exist; a
   subject and a sender for each email, from a domain that is registered; edges between nodes that
   exist, by handles that the node has, one for each; all nodes reachable from the trigger; no
   circle without a wait for a duration or for an event (a wait until a time ends at once when the
   time has passed). NULL, with the error of lookup, when a lookup failed. The caller owns the
   array. */
GPtrArray *automation_design_faults(const struct automation_design *design,
    const struct automation_design_lookup *lookup, GError **error);

/* Returns true when a design has no fault; INVALID with the message of the first one, or errors of
   lookup. */
bool automation_design_check(const struct automation_design *design,
    const struct automation_design_lookup *lookup, GError **error);

#endif
