/* SPDX-License-Identifier: MIT */
/* The data of a node that sends email. */
#ifndef AUTOMATION_NODE_EMAIL_H
#define AUTOMATION_NODE_EMAIL_H

#include <glib.h>
#include <stdbool.h>

#include "json/fields.h"

struct automation_design_node;
struct automation_node_given;
struct json;

/* The fields of data.template. */
extern const struct json_field automation_template_fields[2];

/* Takes over the reply_to of data also on failure. INVALID, with the fault and the remedy. */
bool automation_node_read_email(struct automation_design_node *node, const struct json *json,
    const struct automation_node_given *data, GError **error);

#endif
