/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_AUDIENCES_H
#define FCGI_HANDLERS_AUDIENCES_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;
struct json_table;

/* /v1/audiences */
bool fcgi_audiences_post(struct fcgi_call *call, GError **error);
bool fcgi_audiences_list(struct fcgi_call *call, GError **error);
bool fcgi_audiences_get(struct fcgi_call *call, GError **error);
bool fcgi_audiences_delete(struct fcgi_call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table fcgi_audiences_body;

#endif
