/* SPDX-License-Identifier: MIT */
/* The checks of the events of a design, and of the segments that it names. */
#ifndef AUTOMATION_DESIGN_CHECK_EVENT_H
#define AUTOMATION_DESIGN_CHECK_EVENT_H

#include <glib.h>
#include <stdbool.h>

struct automation_design_checking;
struct automation_design_node;

/* Checks the segment, and the audience, that the event of a node has. False, with the error, when a
   lookup failed. */
bool automation_design_check_event(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error);

/* Checks likewise that the segments of a node's rules exist. */
bool automation_design_check_segments(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error);

/* Notes events that start executions alone, and that a node waits for or has as goal or exit. */
void automation_design_check_awaited(
    struct automation_design_checking *check, const struct automation_design_node *node);

#endif
