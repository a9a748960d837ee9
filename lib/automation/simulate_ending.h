/* SPDX-License-Identifier: MIT */
/* The ends of simulated executions, by goals and exits. */
#ifndef AUTOMATION_SIMULATE_ENDING_H
#define AUTOMATION_SIMULATE_ENDING_H

#include <glib.h>
#include <stdbool.h>

#include "automation/simulator.h"

struct automation_simulation_event;

/* A run that an event ends, or whose goal it reaches. */
struct automation_simulated_ending {
	struct automation_run *run;
	bool is_goal;
	char *why;
	enum automation_run_state state; /* before */
};

/* Ends a run where it stands, or notes its goal, with a line of its own. */
void automation_simulate_end(struct automation_simulator *simulator, struct automation_run *run,
    enum automation_run_state state, gint64 time, const char *action, const char *why);

/* Carries out an ending. */
void automation_simulate_carry_end(struct automation_simulator *simulator,
    struct automation_run *run, bool is_goal, gint64 time, const char *why);

/* Ends a run before its step, if rules of its goal or an exit hold. */
void automation_simulate_check_rules(
    struct automation_simulator *simulator, struct automation_run *run, gint64 time);

/* Finds the runs whose goals and then those whose exits the event is. Those that it ends count as
   ended from then on. Appends to why which ones they are. The caller owns the array, of struct
   automation_simulated_ending. */
GArray *automation_simulate_find_endings(struct automation_simulator *simulator,
    const struct automation_simulation_event *event, GString *why);

#endif
