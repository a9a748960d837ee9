#ifndef FCGI_HANDLERS_EXECUTION_EMAILS_H
#define FCGI_HANDLERS_EXECUTION_EMAILS_H

#include <glib.h>
#include <stdbool.h>

struct call;

/* /v1/workflows/{id}/emails, /v1/executions/{id}/emails */
bool execution_emails_list_of_workflow(struct call *call, GError **error);
bool execution_emails_list(struct call *call, GError **error);

#endif
