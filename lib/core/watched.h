/* SPDX-License-Identifier: MIT */
/* Broadcasts to be looked at: those of which results were stored, and those whose messages lacked
   a link, for core/broadcast_watch.h. */
#ifndef CORE_WATCHED_H
#define CORE_WATCHED_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct core;
struct store_event;

/* An email that is a part of a broadcast. */
struct core_watched {
	struct base_id workspace_id, email_id;
};

/* A broadcast. */
struct core_lacking {
	struct base_id workspace_id, broadcast_id;
	bool is_told;
};

/* Notes in core->lacking that a message of a broadcast had no link to unsubscribe. */
void core_watched_lack(
    struct core *core, const struct base_id *workspace, const struct base_id *broadcast);

/* Notes in core->watched which broadcasts fare otherwise after events that were stored. */
void core_watched_add(struct core *core, const struct store_event *events, guint count);

#endif
