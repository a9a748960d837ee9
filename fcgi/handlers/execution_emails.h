/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_EXECUTION_EMAILS_H
#define FCGI_HANDLERS_EXECUTION_EMAILS_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;

/* /v1/workflows/{id}/emails, /v1/executions/{id}/emails */
bool fcgi_execution_emails_list_of_workflow(struct fcgi_call *call, GError **error);
bool fcgi_execution_emails_list(struct fcgi_call *call, GError **error);

#endif
