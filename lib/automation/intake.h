/* SPDX-License-Identifier: MIT */
/* What an event of a contact moves: the workflows that it starts, and what waits for it. */
#ifndef AUTOMATION_INTAKE_H
#define AUTOMATION_INTAKE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/event.h"

struct store_automation_contact;
struct core;
struct json;
struct store_sent_email;

/* An event that is being recorded, of a contact that is locked. All borrowed. */
struct automation_intake {
	struct store_automation_contact *contact; /* entered is set when it enters a workflow */
	const struct json *contact_properties;	  /* with the event's */
	const struct base_id *event_id;
	const char *name;
	const struct json *properties;
	gint64 time;
	const GArray *targets; /* store_workflow_trigger_targets, under the contact's lock */
	const struct store_sent_email *sent; /* the email that it is about; NULL: none, */
	enum store_event_status status;	     /* and what became of that */
};

/* Inside its transaction: starts and lets go. *deduplicated_r: it matched workflows, and all of
   them were held back by their windows. */
bool automation_intake(struct core *core, const struct automation_intake *intake,
    bool *deduplicated_r, GError **error);

#endif
