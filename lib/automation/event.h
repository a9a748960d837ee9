/* SPDX-License-Identifier: MIT */
/* Events of contacts: recording one, and the workflows that it starts and releases. */
#ifndef AUTOMATION_EVENT_H
#define AUTOMATION_EVENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "service/once.h"

struct service;
struct json;

/* An event as a client sends it. All borrowed. */
struct automation_event_input {
	const char *name;	       /* not yet trimmed or in lower case */
	const char *email;	       /* the contact's address in the client's spelling */
	const struct json *properties; /* an object; NULL: none */
	gint64 timestamp;	       /* epoch ms, when it happened; only if timed */
	bool timed;		       /* else it happens now */
	bool is_ours;		       /* its name may begin with EVENT_NAME_RESERVED */
};

/* An event that happened before is recorded at its own time: lists and segments have it there, the
   waits and dedupe windows of workflows count from there, and an execution that waits since an
   earlier time is released. One ahead of our clock happens now, so that no later event comes before
   it. */

/* A request to record an event (service/once.h). Recording makes or changes the contact, merges the
   event's properties into it unless they stay apart, inserts the event, starts each active workflow
   whose trigger matches, and releases the executions that wait for the event. */
struct automation_recording {
	struct service_once request;
	bool apart; /* may be set before it is stored: the properties stay the event's own */
	const struct base_id *only_domain; /* may be set before it is stored: it concerns only
					      workflows that keep to this domain
					      (automation/held.h); NULL: all */

	/* The result, unless the request is replayed. */
	bool deduplicated;
	struct base_id event_id;
	gint64 timestamp; /* epoch ms */

	/* For this room. */
	const struct base_id *workspace;
	struct automation_event_input input; /* borrowed */
	char *name, *email, *address, *properties;
};

/* Checks an event. workspace, the name and values of input, and those of idempotency (NULL without
   a key) outlive the request. INVALID, naming event_name, email, properties or
   timestamp; errors of
   service_once_find; service_once_store_one adds CONFLICT when another transaction changes the
   contact again and again. The caller frees it with service_once_free. */
struct automation_recording *automation_event_check(struct service *service,
    const struct base_id *workspace, const struct automation_event_input *input,
    const struct service_idempotency *idempotency, GError **error);

#endif
