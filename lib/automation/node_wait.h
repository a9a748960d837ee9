/* SPDX-License-Identifier: MIT */
/* The data of a node that waits for a time. */
#ifndef AUTOMATION_NODE_WAIT_H
#define AUTOMATION_NODE_WAIT_H

#include <glib.h>
#include <stdbool.h>

struct automation_design_node;
struct automation_node_given;
struct json;

/* Reads an ISO 8601 time, or a date, which means its first moment in UTC, or epoch milliseconds
   from 1973 on, as a number or its digits. Returns false for any other value. */
bool automation_node_data_time(const struct json *value, gint64 *epoch_ms_r);

/* INVALID, with the fault and the remedy. */
bool automation_node_read_wait(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error);
bool automation_node_read_digest(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error);

#endif
