/* SPDX-License-Identifier: MIT */
/* The data of a node that waits for a time. */
#ifndef AUTOMATION_NODE_WAIT_H
#define AUTOMATION_NODE_WAIT_H

#include <glib.h>
#include <stdbool.h>

struct automation_design_node;
struct automation_node_given;
struct json;

/* INVALID, with the fault and the remedy. */
bool automation_node_read_wait(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error);
bool automation_node_read_digest(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error);

#endif
