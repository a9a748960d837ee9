/* SPDX-License-Identifier: MIT */
/* The rules of goals and exits, which are looked at before each step. */
#ifndef AUTOMATION_EXECUTION_ENDING_H
#define AUTOMATION_EXECUTION_ENDING_H

#include <glib.h>
#include <stdbool.h>

struct automation_stepper;

/* Ends the execution where it stands if rules of its goal or an exit hold. Returns false for an
   error of the database. */
bool automation_execution_check_endings(struct automation_stepper *stepper, GError **error);

#endif
