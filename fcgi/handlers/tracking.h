/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_TRACKING_H
#define FCGI_HANDLERS_TRACKING_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;

bool fcgi_tracking_open(struct fcgi_call *call, GError **error);
bool fcgi_tracking_click(struct fcgi_call *call, GError **error);

#endif
