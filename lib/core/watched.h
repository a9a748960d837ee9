/* SPDX-License-Identifier: MIT */
/* Emails of broadcasts of which results were stored, for core/broadcast_watch.h. */
#ifndef CORE_WATCHED_H
#define CORE_WATCHED_H

#include <glib.h>

#include "base/id.h"

struct core;
struct store_event;

/* An email that is a part of a broadcast. */
struct core_watched {
	struct base_id workspace_id, email_id;
};

/* Notes in core->watched which broadcasts fare otherwise after events that were stored. */
void core_watched_add(struct core *core, const struct store_event *events, guint count);

#endif
