/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_SUPPRESSIONS_H
#define FCGI_HANDLERS_SUPPRESSIONS_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;
struct json_table;

/* /v1/suppressions */
bool fcgi_suppressions_post(struct fcgi_call *call, GError **error);
bool fcgi_suppressions_list(struct fcgi_call *call, GError **error);
bool fcgi_suppressions_get(struct fcgi_call *call, GError **error);
bool fcgi_suppressions_delete(struct fcgi_call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table fcgi_suppressions_body;

#endif
