/* SPDX-License-Identifier: MIT */
/* Properties of events on command lines. */
#ifndef CLI_EVENT_H
#define CLI_EVENT_H

#include <glib.h>

struct json;

/* Reads KEY=VALUE texts into an object. name: of the parameter. INVALID. The caller frees it. */
struct json *cli_event_properties(const char *name, char *const *given, GError **error);

#endif
