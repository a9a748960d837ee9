#ifndef FCGI_HANDLERS_HEALTH_H
#define FCGI_HANDLERS_HEALTH_H

#include <glib.h>
#include <stdbool.h>

struct call;

/* GET /health: whether requests can be served now. */
bool health_get(struct call *call, GError **error);

#endif
