/* SPDX-License-Identifier: MIT */
/* The data of a node that changes the contact. */
#ifndef AUTOMATION_NODE_UPDATE_H
#define AUTOMATION_NODE_UPDATE_H

#include <glib.h>
#include <stdbool.h>

struct automation_design_node;
struct automation_node_given;
struct json;

/* INVALID, with the fault and the remedy. */
bool automation_node_read_update(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error);

#endif
