#ifndef FCGI_HANDLERS_EVENTS_H
#define FCGI_HANDLERS_EVENTS_H

#include <glib.h>
#include <stdbool.h>

struct call;

/* /v1/events */
bool events_post(struct call *call, GError **error);

#endif
