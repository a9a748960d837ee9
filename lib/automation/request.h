/* SPDX-License-Identifier: MIT */
/* The request of a step, filled in: its URL, its headers, whose secrets stay names, and its body. A
   request whose data has no body gets {"type": "workflow.request", "timestamp", "data":
   {workflow_id, execution_id, step_id, email, properties, event}}; GET and DELETE have none. */
#ifndef AUTOMATION_REQUEST_H
#define AUTOMATION_REQUEST_H

#include <glib.h>
#include <stdbool.h>

struct automation_mailing;
struct automation_node_request;
struct automation_rules_scope;
struct json;
struct store_step_request;

struct automation_request_input {
	const struct automation_node_request *node;
	const struct automation_mailing *mailing;   /* finds variables; its email is not used */
	const struct automation_rules_scope *scope; /* finds {"var": path} */
	const struct json *event; /* properties of the event that started the execution */
	gint64 now;		  /* epoch ms */
};

/* Makes the request, due now. The caller frees it. NULL with INVALID when it cannot be made, with
   the sentence for the way out "failed"; otherwise with errors of db/statement.h. */
struct store_step_request *automation_request_make(
    const struct automation_request_input *input, GError **error);

#endif
