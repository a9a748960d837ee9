/* SPDX-License-Identifier: MIT */
/* Whether a design may be active. */
#ifndef AUTOMATION_DESIGN_CHECK_H
#define AUTOMATION_DESIGN_CHECK_H

#include <glib.h>
#include <stdbool.h>

struct automation_design;

/* What a design is checked against. */
struct automation_design_world {
	/* Looks for a template: *found_r, and whether that has a subject. False, with the error,
	   when it could not be asked. NULL: templates are not looked at. */
	bool (*template_find)(
	    const char *id, bool *found_r, bool *subject_r, void *context, GError **error);
	/* Looks for the domain that a sender's domain belongs to. Errors as above. NULL: senders
	   are not looked at. */
	bool (*domain_find)(const char *domain, bool *found_r, void *context, GError **error);
	void *context;
	const char *sender; /* of emails without from. NULL: there is none; "": one that nobody
			       looks at */
};

/* All that is wrong with it, of struct automation_design_fault (automation/design.h), empty when it
   may be active: exactly one trigger, to which nothing leads; ids of 1 to LIMIT_NODE_ID_LENGTH
   characters, each once; at most LIMIT_DESIGN_NODES nodes; known types and valid data without
   unknown members; templates that exist; a subject and a sender for each email, from a domain that
   is registered; edges between nodes that exist, by handles that the node has, one for each; all
   nodes reachable from the trigger; no circle without a wait that lasts (a wait until a time does
   not count: once that has passed it lasts no more). NULL, with the error of world, when something
   could not be looked for. The caller owns the array. */
GPtrArray *automation_design_faults(const struct automation_design *design,
    const struct automation_design_world *world, GError **error);

/* True when there are none; else INVALID with the first one's message. Errors of world. */
bool automation_design_check(const struct automation_design *design,
    const struct automation_design_world *world, GError **error);

#endif
