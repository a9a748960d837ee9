/* SPDX-License-Identifier: MIT */
/* The data of a node, as a design has it. */
#ifndef AUTOMATION_NODE_DATA_H
#define AUTOMATION_NODE_DATA_H

#include <glib.h>
#include <stdbool.h>

struct automation_design_node;
struct json;

/* Reads the data of a node whose type is known, json or NULL, from which it borrows, and notes the
   members that the type does not know. INVALID, with what is wrong and what to do; what the node
   has got until then is freed with it. */
bool automation_node_data_read(
    struct automation_design_node *node, const struct json *json, GError **error);

/* Reads an ISO 8601 time, or a date, whose first moment in UTC it is. False of anything else. */
bool automation_node_data_time(const struct json *value, gint64 *epoch_ms_r);

/* Frees what of the data such a node has no use for once it has been read. */
void automation_node_data_forget(
    const struct automation_design_node *node, const struct json *json);

/* Bytes of memory that the node takes beside the document. */
gsize automation_node_weight(const struct automation_design_node *node);

#endif
