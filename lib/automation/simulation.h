/* SPDX-License-Identifier: MIT */
/* A simulation: what goes in, and what it reports. */
#ifndef AUTOMATION_SIMULATION_H
#define AUTOMATION_SIMULATION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct automation_design;
struct automation_design_node;
struct json;

/* An event of the contact. All borrowed. */
struct automation_simulation_event {
	const char *name;	       /* in normal form (rule/event_name.h) */
	gint64 time;		       /* epoch ms */
	const struct json *properties; /* an object, or NULL */
};

/* All borrowed. */
struct automation_simulation_input {
	const struct automation_design *design; /* without faults (automation_design_faults) */
	struct base_id contact;			/* decides its side of a split */
	const char *email;			/* of the contact, or NULL */
	const char *first_name, *last_name, *language, *time_zone; /* of the contact; NULL: none */
	GHashTable *segments; /* that it is in throughout, as in struct automation_rules_scope */
	const struct json *responses; /* an object: node → {status, body}; 200 and {} for others */
	const struct json *properties; /* of the contact before the first event, or NULL */
	const struct automation_simulation_event *events; /* in any order; of two at the same time,
							  the later in the list comes 1 ms later */
	guint event_count;
	const gint64 *until; /* epoch ms: stop there; NULL: run to the end */
	guint lines;	     /* at most so many lines of the report; 0: all */
	gint64 deadline;     /* on base_clock_boot: stop then; 0: none */
};

/* One line of the simulation's report. Texts are NULL where there is nothing to say. */
struct automation_simulation_line {
	gint64 time;	 /* epoch ms */
	guint execution; /* from 1; 0: the line is about an event */
	char *node;	 /* the id of the step's node */
	char *action;	 /* "event order.placed", "wait 3 days", "COMPLETED", "FAILED", "goal",
			   "exit", "digest" */
	char *branch;	 /* the handle of the edge that it took */
	char *why;
};

/* The state of an execution at the end. */
enum automation_simulation_state {
	SIMULATION_WAITING,
	SIMULATION_COMPLETED,
	SIMULATION_FAILED,
	SIMULATION_CANCELLED, /* by an exit, or with the contact */
};

struct automation_simulation_execution {
	enum automation_simulation_state state;
	const struct automation_design_node *node; /* of the design */
	guint steps;				   /* nodes visited */
	gint64 until;				   /* end of its wait, 0 = no end, or not waiting */
};

struct automation_simulation {
	GPtrArray *lines;   /* of struct automation_simulation_line, by time */
	GArray *executions; /* of struct automation_simulation_execution, in their order */
	guint started, completed, failed, waiting;
	char *properties; /* of the contact at the end: JSON */
	bool truncated;	  /* there were more lines than the input wants */
	bool expired;	  /* the deadline came before the end */
};

void automation_simulation_free(struct automation_simulation *simulation);
DEFINE_AUTO(automation_simulation, automation_simulation_free)

/* The id of a contact with this email (NULL: none): the same for the same email. */
struct base_id automation_simulation_contact(const char *email);

/* An empty report. The caller frees it. */
struct automation_simulation *automation_simulation_new(void);

/* Whether the report has most lines (0: no limit). */
bool automation_simulation_is_full(const struct automation_simulation *simulation, guint most);

/* Adds a copy of a line to the report, unless that has most lines (0: no limit). */
void automation_simulation_add(struct automation_simulation *simulation, guint most,
    const struct automation_simulation_line *line);

#endif
