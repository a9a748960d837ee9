/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_HEALTH_H
#define FCGI_HANDLERS_HEALTH_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;

/* GET /health: whether requests can be served now. */
bool fcgi_health_get(struct fcgi_call *call, GError **error);

#endif
