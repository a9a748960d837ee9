/* SPDX-License-Identifier: MIT */
/* Broadcasts to be looked at: those of which results were stored, and those whose messages lacked
   a link, for feedback/broadcast_health.h. */
#ifndef EMAIL_WATCHED_H
#define EMAIL_WATCHED_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct service;
struct store_event;

/* An email that is a part of a broadcast. */
struct email_watched {
	struct base_id workspace_id, email_id;
};

/* A broadcast. */
struct email_lacking {
	struct base_id workspace_id, broadcast_id;
	bool is_told;
};

/* Notes in service->lacking that a message of a broadcast had no link to unsubscribe. */
void email_watched_lack(
    struct service *service, const struct base_id *workspace, const struct base_id *broadcast);

/* Notes in service->watched which broadcasts fare otherwise after events that were stored. */
void email_watched_add(struct service *service, const struct store_event *events, guint count);

#endif
