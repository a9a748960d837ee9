/* SPDX-License-Identifier: MIT */
/* The simulator: a design runs for one contact on a virtual clock. The engine's own
   automation/step.h decides each step; nothing is sent or stored. */
#ifndef AUTOMATION_SIMULATE_H
#define AUTOMATION_SIMULATE_H

#include "automation/simulation.h"

/* Simulates a design. The caller frees the result, which borrows from the design. */
struct automation_simulation *automation_simulate(const struct automation_simulation_input *input);

#endif
