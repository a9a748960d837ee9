/* SPDX-License-Identifier: MIT */
/* The changes that a step makes to its person. */
#ifndef AUTOMATION_EXECUTION_UPDATE_H
#define AUTOMATION_EXECUTION_UPDATE_H

#include <glib.h>
#include <stdbool.h>

struct automation_step_result;
struct automation_stepper;

/* Changes the person. Events that this tells never start the execution's own workflow. Returns
   false for an error of the database. */
bool automation_execution_update(
    struct automation_stepper *stepper, struct automation_step_result *result, GError **error);

#endif
