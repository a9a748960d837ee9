/* SPDX-License-Identifier: MIT */
/* The email of a step. */
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
	/* Gives the properties of the event that started it, when they are asked for; NULL: there
	   are none, or with an error. */
	const struct json *(*event)(void *context, GError **error);
	void *event_context;
};

/* Inside the batch's transaction: writes the email, and leaves it in the batch to be put into the
   outbox; nothing where the contact is suppressed. Errors of core_draft_new and of
   automation_batch_email. */
bool automation_mailing_draft(const struct automation_mailing *mailing, GError **error);

#endif
