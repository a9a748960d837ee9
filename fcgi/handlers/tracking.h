#ifndef FCGI_HANDLERS_TRACKING_H
#define FCGI_HANDLERS_TRACKING_H

#include <glib.h>
#include <stdbool.h>

struct call;

bool tracking_open(struct call *call, GError **error);
bool tracking_click(struct call *call, GError **error);

#endif
