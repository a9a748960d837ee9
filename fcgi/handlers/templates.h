/* SPDX-License-Identifier: MIT */
/* /v1/templates: what each does is said in the API page. */
#ifndef FCGI_HANDLERS_TEMPLATES_H
#define FCGI_HANDLERS_TEMPLATES_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;
struct json_table;

bool fcgi_templates_post(struct fcgi_call *call, GError **error);
bool fcgi_templates_list(struct fcgi_call *call, GError **error);
bool fcgi_templates_get(struct fcgi_call *call, GError **error);
bool fcgi_templates_patch(struct fcgi_call *call, GError **error);
bool fcgi_templates_delete(struct fcgi_call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table fcgi_templates_body;

#endif
