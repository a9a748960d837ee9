/* What a design would do with a contact, on a virtual clock: each step is decided by the engine's
   own automation/step.h, and nothing is sent or stored. */
#ifndef AUTOMATION_SIMULATE_H
#define AUTOMATION_SIMULATE_H

#include <glib.h>

#include "base/id.h"
#include "base/scope.h"

struct design;
struct design_node;
struct json;

/* Something that the contact does. All borrowed. */
struct simulation_event {
	const char *name;	       /* in its normal form (automation/event_name.h) */
	gint64 time;		       /* epoch ms */
	const struct json *properties; /* an object, or NULL */
};

/* All borrowed. */
struct simulation_input {
	const struct design *design;   /* one that may be active: automation_design_faults */
	struct id contact;	       /* which side of a split it is on depends on it */
	const struct json *properties; /* that it has before the first event, or NULL */
	const struct simulation_event *events; /* in any order; of two at the same time the later
						  in the list comes 1 ms later */
	guint event_count;
	gint64 until; /* what would come after this time does not; 0: to the end */
};

/* One line of what happened. Texts are NULL where there is nothing to say. */
struct simulation_line {
	gint64 time;	 /* epoch ms */
	guint execution; /* from 1; 0: it is about an event */
	char *node;	 /* the id of the step */
	char *action;	 /* "event order.placed", "wait 3 days", "COMPLETED", "FAILED" */
	char *branch;	 /* the handle by which it went on */
	char *why;
};

/* Where an execution is in the end. */
enum simulation_state { SIMULATION_WAITING, SIMULATION_COMPLETED, SIMULATION_FAILED };

struct simulation_execution {
	enum simulation_state state;
	const struct design_node *node; /* of the design */
	guint steps;			/* nodes visited */
	gint64 until;			/* of one that waits, 0 = no end */
};

struct simulation {
	GPtrArray *lines;   /* of struct simulation_line, by time */
	GArray *executions; /* of struct simulation_execution, in their order */
	guint started, completed, failed, waiting;
	char *properties; /* of the contact in the end: JSON */
};

/* The caller frees it. */
struct simulation *automation_simulate(const struct simulation_input *input);
void automation_simulation_free(struct simulation *simulation);
DEFINE_AUTO(simulation, automation_simulation_free)

#endif
