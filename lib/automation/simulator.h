/* SPDX-License-Identifier: MIT */
/* The contact of a simulation and its executions, for the files that simulate them. */
#ifndef AUTOMATION_SIMULATOR_H
#define AUTOMATION_SIMULATOR_H

#include <glib.h>
#include <stdbool.h>

#include "rule/operator.h"

struct automation_design_node;
struct automation_results;
struct automation_simulation;
struct automation_simulation_input;
struct json;

enum automation_run_state {
	RUN_GOES,
	RUN_WAITS,
	RUN_WAITS_FOR_EVENT,
	RUN_COMPLETED,
	RUN_FAILED,
	RUN_CANCELLED
};

/* One execution. */
struct automation_run {
	guint number;
	enum automation_run_state state;
	const struct automation_design_node *node;
	gint64 time;			    /* of the step */
	gint64 until;			    /* end of a wait, 0 = no end */
	guint count;			    /* nodes visited */
	const char *event_name;		    /* of the event that started it, */
	gint64 started;			    /* its time, */
	const struct json *event;	    /* and properties */
	struct automation_results *results; /* of its steps */
	guint8 key[RULE_HASH_SIZE];	    /* of the value of the trigger's key */
	bool has_goal;			    /* it has reached it */
	GPtrArray *digest; /* of char *: the events of the digest that it has opened; NULL: none */
	guint8 digest_key[RULE_HASH_SIZE];
};

/* A mailing that waits for an opening. */
struct automation_simulated_mailing {
	gint64 time; /* of the opening */
	guint execution;
	const char *node; /* its id */
};

/* The contact and its executions. */
struct automation_simulator {
	const struct automation_simulation_input *input;
	struct automation_simulation *result;
	GPtrArray *runs; /* of struct automation_run */
	GArray *leaving; /* struct automation_simulated_mailing: those that wait for an opening, by
			    time */
	GStringChunk *texts;	 /* of answers */
	struct json *properties; /* of the contact */
	struct json *fields;	 /* of the contact: its email and names */
};

#endif
