/* The email of a step. */
#ifndef AUTOMATION_MAILING_H
#define AUTOMATION_MAILING_H

#include <glib.h>
#include <stdbool.h>

struct batch;
struct execution;
struct json;
struct node_email;

struct mailing {
	struct batch *batch;
	const struct execution *execution;
	const struct node_email *email;
	const struct json *properties; /* of the contact */
	/* Gives the properties of the event that started it, when they are asked for; NULL: there
	   are none, or with an error. */
	const struct json *(*event)(void *context, GError **error);
	void *event_context;
};

/* Inside the batch's transaction: writes the email, and leaves it in the batch to be put into the
   outbox; nothing where the contact is suppressed. Errors of core_draft_new and of
   automation_batch_email. */
bool automation_mailing_draft(const struct mailing *mailing, GError **error);

#endif
