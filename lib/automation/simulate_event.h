/* SPDX-License-Identifier: MIT */
/* The events of a simulation. */
#ifndef AUTOMATION_SIMULATE_EVENT_H
#define AUTOMATION_SIMULATE_EVENT_H

struct automation_simulation_event;
struct automation_simulator;

/* Takes an event: ends, releases and starts executions by it. */
void automation_simulate_take(
    struct automation_simulator *simulator, const struct automation_simulation_event *event);

#endif
