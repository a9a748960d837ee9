#ifndef FCGI_HANDLERS_EVENTS_H
#define FCGI_HANDLERS_EVENTS_H

#include <glib.h>
#include <stdbool.h>

struct call;
struct json_table;

/* /v1/events */
bool events_post(struct call *call, GError **error);

/* What the bodies hold. */
extern const struct json_table events_body;

#endif
