/* SPDX-License-Identifier: MIT */
#ifndef AUTOMATION_DESCRIBE_H
#define AUTOMATION_DESCRIBE_H

struct automation_design_node;

/* For people, on a part of a line: `wait 3 days`, `send_email template hello`, `condition plan
   equals "pro" and age greater_than 30`. The caller owns it. */
char *automation_node_describe(const struct automation_design_node *node);

#endif
