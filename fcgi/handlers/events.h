/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_EVENTS_H
#define FCGI_HANDLERS_EVENTS_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;
struct json_table;

/* /v1/events */
bool fcgi_events_post(struct fcgi_call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table fcgi_events_body;

#endif
