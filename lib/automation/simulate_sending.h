/* SPDX-License-Identifier: MIT */
/* The times at which simulated mailings leave. */
#ifndef AUTOMATION_SIMULATE_SENDING_H
#define AUTOMATION_SIMULATE_SENDING_H

#include <stdbool.h>

struct automation_design_node;
struct automation_run;
struct automation_simulated_mailing;
struct automation_simulator;

/* Reports that a mailing leaves; waited: it has waited for that time. */
void automation_simulate_tell_leaving(struct automation_simulator *simulator,
    const struct automation_simulated_mailing *mailing, bool waited);

/* Whether a send step sends nothing, since the contact has left all mailings. */
bool automation_simulate_is_left(
    const struct automation_simulator *simulator, const struct automation_design_node *node);

/* Lets a mailing leave, at once or at the next opening of the design's hours. */
void automation_simulate_send(
    struct automation_simulator *simulator, const struct automation_run *run);

#endif
