/* SPDX-License-Identifier: MIT */
/* The members of an execution in answers. */
#ifndef AUTOMATION_EXECUTION_VIEW_H
#define AUTOMATION_EXECUTION_VIEW_H

struct json_view;

/* The members of a struct store_execution, in answers and in lists. */
extern const struct json_view automation_execution_view, automation_execution_list;

#endif
