/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_WORKFLOWS_H
#define FCGI_HANDLERS_WORKFLOWS_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;
struct json_table;

/* /v1/workflows */
bool fcgi_workflows_post(struct fcgi_call *call, GError **error);
bool fcgi_workflows_list(struct fcgi_call *call, GError **error);
bool fcgi_workflows_get(struct fcgi_call *call, GError **error);
bool fcgi_workflows_patch(struct fcgi_call *call, GError **error);
bool fcgi_workflows_delete(struct fcgi_call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table fcgi_workflows_body;

#endif
