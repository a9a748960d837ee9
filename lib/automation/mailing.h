/* SPDX-License-Identifier: MIT */
/* The email of a send_email step. */
#ifndef AUTOMATION_MAILING_H
#define AUTOMATION_MAILING_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "content/variables.h"

struct automation_batch;
struct store_execution;
struct json;
struct automation_results;
struct automation_node_email;
struct sending_hours;

struct automation_mailing {
	struct automation_batch *batch;
	const struct store_execution *execution;
	const struct automation_node_email *email;
	const struct sending_hours *hours; /* of the workflow's version */
	const struct json *properties;	   /* of the contact */
	/* Returns the properties of the event that started the execution, read on first use. NULL
	   when there are none, or with the error. */
	const struct json *(*event)(void *context, GError **error);
	/* Returns the results of the execution's steps, likewise. NULL: "step." is a property. */
	const struct automation_results *(*results)(void *context, GError **error);
	void *event_context; /* of both */
	bool compat_tests;   /* as of email/purpose.h */
	bool has_endings;    /* of its version: it does not leave once they have ended it */
	bool answers;	     /* received mail started the execution (automation/answer.h) */
};

/* Composes the email and adds it to the batch, which puts it into the outbox later. Runs inside the
   batch's transaction. Adds nothing when the contact is suppressed, or has snoozed: *snoozed_r is
   until when, epoch ms; 0: not. Errors of email_draft_new and of automation_batch_email. */
bool automation_mailing_draft(
    const struct automation_mailing *mailing, gint64 *snoozed_r, GError **error);

/* The values of variables, as the emails of a step find them; email of the mailing may be NULL. The
   caller frees it; mailing outlives it. */
struct automation_mailing_lookup;
struct automation_mailing_lookup *automation_mailing_lookup_new(
    const struct automation_mailing *mailing);
void automation_mailing_lookup_free(struct automation_mailing_lookup *lookup);
DEFINE_AUTO(automation_mailing_lookup, automation_mailing_lookup_free)

/* The value of a variable; lookup is a struct automation_mailing_lookup. */
struct content_variables_found automation_mailing_find(const char *name, void *lookup);

/* Returns false with the error of the database when a value could not be read. */
bool automation_mailing_lookup_done(struct automation_mailing_lookup *lookup, GError **error);

#endif
