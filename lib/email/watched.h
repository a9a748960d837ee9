/* SPDX-License-Identifier: MIT */
/* Broadcasts to be looked at: those of which results were stored, and those whose messages lacked
   a link, for feedback/broadcast_health.h. */
#ifndef EMAIL_WATCHED_H
#define EMAIL_WATCHED_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct store_event;

/* An email that is a part of a broadcast. */
struct email_watched {
	struct base_id workspace_id, email_id;
};

/* A broadcast. */
struct email_lacking {
	struct base_id workspace_id, broadcast_id;
};

/* All that is to be looked at. */
struct email_watch {
	GArray *results; /* struct email_watched */
	GArray *lacking; /* struct email_lacking */
};

/* Nothing. The caller frees it. */
struct email_watch *email_watch_new(void);
void email_watch_free(struct email_watch *watch);
DEFINE_AUTO(email_watch, email_watch_free)

/* Notes that a message of a broadcast had no link to unsubscribe. */
void email_watch_lack(
    struct email_watch *watch, const struct base_id *workspace, const struct base_id *broadcast);

/* Notes which broadcasts fare otherwise after events that were stored. */
void email_watch_add(struct email_watch *watch, const struct store_event *events, guint count);

/* Adds all of another one. */
void email_watch_join(struct email_watch *watch, const struct email_watch *other);

#endif
