/* SPDX-License-Identifier: MIT */
/* The email of a send_email step. */
#ifndef AUTOMATION_MAILING_H
#define AUTOMATION_MAILING_H

#include <glib.h>
#include <stdbool.h>

struct automation_batch;
struct store_execution;
struct json;
struct automation_node_email;

struct automation_mailing {
	struct automation_batch *batch;
	const struct store_execution *execution;
	const struct automation_node_email *email;
	const struct json *properties; /* of the contact */
	/* Returns the properties of the event that started the execution, read on first use. NULL
	   when there are none, or with the error. */
	const struct json *(*event)(void *context, GError **error);
	void *event_context;
	bool compat_tests; /* as of email/purpose.h */
	bool answers;	   /* received mail started the execution (automation/answer.h) */
};

/* Composes the email and adds it to the batch, which puts it into the outbox later. Runs inside the
   batch's transaction. Adds nothing when the contact is suppressed. Errors of email_draft_new and
   of automation_batch_email. */
bool automation_mailing_draft(const struct automation_mailing *mailing, GError **error);

#endif
