/* SPDX-License-Identifier: MIT */
/* The events that come by themselves while a design is simulated from a time on: date.reached and
   schedule.due of its trigger, for the contact as it is given. */
#ifndef AUTOMATION_SIMULATE_DUE_H
#define AUTOMATION_SIMULATE_DUE_H

#include <glib.h>

struct automation_simulation_input;

/* Adds those in (from, *input->until], at most LIMIT_SIMULATION_EVENTS, to events, of struct
   automation_simulation_event. documents, of struct json, keeps their properties. */
void automation_simulate_due(const struct automation_simulation_input *input, gint64 from,
    GArray *events, GPtrArray *documents);

#endif
