/* SPDX-License-Identifier: MIT */
/* The requests of steps, and their answers. Returns false for an error of the database. */
#ifndef AUTOMATION_EXECUTION_REQUEST_H
#define AUTOMATION_EXECUTION_REQUEST_H

#include <glib.h>
#include <stdbool.h>

struct automation_step_input;
struct automation_stepper;

/* Has the request of a step made, unless it is under way: the answer makes the execution due.
 *why_r: the reason why it cannot be made, which the caller frees; else NULL. */
bool automation_execution_ask(struct automation_stepper *stepper,
    const struct automation_step_input *input, char **why_r, GError **error);

/* Ends the step with the answer to its request, if that has come, at the time of the answer. */
void automation_execution_take_answer(struct automation_stepper *stepper);

#endif
