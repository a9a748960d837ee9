/* SPDX-License-Identifier: MIT */
/* The waits of an execution: for a time, and for an event. Returns false for an error of the
   database. */
#ifndef AUTOMATION_EXECUTION_WAIT_H
#define AUTOMATION_EXECUTION_WAIT_H

#include <glib.h>
#include <stdbool.h>

struct automation_design_node;
struct automation_results;
struct automation_stepper;
struct json;
struct store_execution;

/* Adds the execution's row to waits, of struct store_execution_wait, which borrows from both.
   started: properties of the event that started it, and results of its steps, for a wait that
   begins; NULL: none. */
void automation_execution_note_wait(const struct store_execution *execution,
    const struct automation_design_node *node, const struct json *started,
    const struct automation_results *results, GArray *waits);

/* Lets the execution wait until then; goes on at once if that has passed. */
bool automation_execution_wait(struct automation_stepper *stepper, gint64 until, GError **error);

/* Lets the execution wait for the event of its node until then (0: no end); goes on at once if that
   has come. waits: the wait has a row in the database already. */
bool automation_execution_await(
    struct automation_stepper *stepper, gint64 until, bool waits, GError **error);

/* Ends the wait of an execution that is due at one; does nothing for one that has just reached its
   node. */
bool automation_execution_resume(struct automation_stepper *stepper, GError **error);

#endif
