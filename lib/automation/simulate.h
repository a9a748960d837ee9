/* SPDX-License-Identifier: MIT */
/* What a design would do with a contact, on a virtual clock: each step is decided by the engine's
   own automation/step.h, and nothing is sent or stored. */
#ifndef AUTOMATION_SIMULATE_H
#define AUTOMATION_SIMULATE_H

#include <glib.h>

#include "automation/simulation.h"
#include "base/id.h"

struct automation_design;
struct json;

/* Something that the contact does. All borrowed. */
struct automation_simulation_event {
	const char *name;	       /* in its normal form (automation/event_name.h) */
	gint64 time;		       /* epoch ms */
	const struct json *properties; /* an object, or NULL */
};

/* All borrowed. */
struct automation_simulation_input {
	const struct automation_design
	    *design;		       /* one that may be active: automation_design_faults */
	struct base_id contact;	       /* which side of a split it is on depends on it */
	const struct json *properties; /* that it has before the first event, or NULL */
	const struct automation_simulation_event *events; /* in any order; of two at the same time
						  the later in the list comes 1 ms later */
	guint event_count;
	gint64 until; /* what would come after this time does not; 0: to the end */
};

/* The caller frees it. */
struct automation_simulation *automation_simulate(const struct automation_simulation_input *input);

#endif
