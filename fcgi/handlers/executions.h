#ifndef FCGI_HANDLERS_EXECUTIONS_H
#define FCGI_HANDLERS_EXECUTIONS_H

#include <glib.h>
#include <stdbool.h>

struct call;

/* /v1/workflows/{id}/executions, /v1/automation/contacts/{email}/executions, /v1/executions */
bool executions_list_of_workflow(struct call *call, GError **error);
bool executions_list_of_contact(struct call *call, GError **error);
bool executions_get(struct call *call, GError **error);
bool executions_cancel(struct call *call, GError **error);

#endif
