/* SPDX-License-Identifier: MIT */
/* An event that a transaction records, as the workflows see it. */
#ifndef AUTOMATION_RECORDED_H
#define AUTOMATION_RECORDED_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/automation/start.h"
#include "store/email/event.h"

struct automation_begun;
struct automation_locked_contact;
struct base_budget;
struct json;
struct store_person;
struct store_sent_email;

/* A workflow that a start begins for one person. */
struct automation_beginning {
	const struct base_id *workflow_id;
	const struct base_id *start_id; /* NULL: an event of the person alone begins it */
	guint version;			/* the active one */
	bool entered,
	    runs; /* what the person has left in the workflow (store/automation/start.h) */
	struct automation_begun *begun; /* takes the rows; NULL: they are stored at once */
	/* The result: */
	enum store_start_reason reason; /* why it is not begun; else START_REASON_NONE, */
	struct base_id execution_id;	/* and this */
};

/* An event that the current transaction records, of a contact that it has locked. All borrowed. */
struct automation_recorded_event {
	struct store_person *contact; /* entered is set when it enters a workflow */
	struct automation_locked_contact
	    *locked; /* the same, with the event's properties merged in */
	const struct base_id *event_id;
	const char *name;
	const struct json *properties;
	gint64 time;	 /* epoch ms */
	GArray *targets; /* of store_workflow_trigger_targets, read under the contact's lock;
			    automation_event_dispatch adds to it */
	const struct base_id *only_domain;   /* as in struct automation_recording */
	const struct store_sent_email *sent; /* the workflow email that it is about; NULL: none */
	enum store_event_status status;	     /* the status of that email */
	struct automation_beginning *beginning; /* NULL: no start tells it */
	struct base_budget *budget; /* for all filters; automation_event_dispatch sets it */
};

#endif
