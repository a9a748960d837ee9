/* SPDX-License-Identifier: MIT */
/* The names of events that Posthouse tells by itself and that a design hears. */
#ifndef AUTOMATION_HEARD_H
#define AUTOMATION_HEARD_H

#include <glib.h>

struct automation_design;

/* Returns what a version hears once it has been active, of struct store_heard
   (store/automation/heard.h): by its trigger and by its waits. Dates and
   schedules are among it; names that clients record, names of emails' events, and workflow.started
   are not; nodes with a
   fault hear nothing. The caller owns the array, which borrows from the design. */
GArray *automation_heard(const struct automation_design *design);

#endif
