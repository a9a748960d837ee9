/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_EXECUTIONS_H
#define FCGI_HANDLERS_EXECUTIONS_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;

/* /v1/workflows/{id}/executions, /v1/automation/contacts/{email}/executions, /v1/executions */
bool fcgi_executions_list_of_workflow(struct fcgi_call *call, GError **error);
bool fcgi_executions_list_of_contact(struct fcgi_call *call, GError **error);
bool fcgi_executions_get(struct fcgi_call *call, GError **error);
bool fcgi_executions_cancel(struct fcgi_call *call, GError **error);

#endif
