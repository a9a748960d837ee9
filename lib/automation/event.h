/* SPDX-License-Identifier: MIT */
#ifndef AUTOMATION_EVENT_H
#define AUTOMATION_EVENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct core;
struct store_idempotency;
struct json;

/* Something that a contact did, as a client gives it. All borrowed. */
struct automation_event_input {
	const char *name;	       /* as given: it is trimmed and put in lower case here */
	const char *email;	       /* as given */
	const struct json *properties; /* an object; NULL: none */
};

/* What a client is told. */
struct automation_answer {
	char *text;    /* the body, {status, event_id, timestamp}, which the caller owns */
	bool replayed; /* what an earlier request with the same Idempotency-Key was told: then
			  nothing below is set */
	bool deduplicated;
	struct base_id event_id;
	gint64 timestamp; /* epoch ms */
};

/* Takes an event in, in one transaction: the contact is made or changed, its properties are merged
   with the event's, the event is recorded, each active workflow whose trigger matches is started,
   and what waits for the event is let go. idempotency: NULL, or its workspace, name and request are
   set. INVALID, naming event_name, email or properties; CONFLICT of the Idempotency-Key as in
   core_submit; errors of db/transaction.h. */
bool automation_event_take(struct core *core, const struct base_id *workspace,
    const struct automation_event_input *input, struct store_idempotency *idempotency,
    struct automation_answer *answer_r, GError **error);

#endif
