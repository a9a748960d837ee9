/* SPDX-License-Identifier: MIT */
/* The reader of a node's data. */
#ifndef AUTOMATION_NODE_DATA_H
#define AUTOMATION_NODE_DATA_H

#include <glib.h>
#include <stdbool.h>

struct automation_design_node;
struct json;

/* Reads the data (NULL: none) of a node whose type is set; the node borrows from json. Unknown
   members go to the node's unknown_members. INVALID, with the fault and the remedy; the node must
   be cleared also then (automation_node_clear). */
bool automation_node_data_read(
    struct automation_design_node *node, const struct json *json, GError **error);

/* Frees the members of a node's data that the node, once read, does not borrow from. */
void automation_node_data_forget(
    const struct automation_design_node *node, const struct json *json);

/* Returns the memory that a node takes in addition to the JSON document, in bytes. */
gsize automation_node_weight(const struct automation_design_node *node);

#endif
