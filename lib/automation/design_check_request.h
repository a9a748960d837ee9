/* SPDX-License-Identifier: MIT */
/* The check of a request of a design. */
#ifndef AUTOMATION_DESIGN_CHECK_REQUEST_H
#define AUTOMATION_DESIGN_CHECK_REQUEST_H

#include <glib.h>
#include <stdbool.h>

struct automation_design_checking;
struct automation_design_node;

/* Notes the faults of a node that makes a request. False, with the error, when a lookup failed. */
bool automation_design_check_request(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error);

#endif
