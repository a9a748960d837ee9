/* SPDX-License-Identifier: MIT */
/* Mail of the service itself, which signs people in and invites them. It is stored in the workspace
   of the service (store/workspace/workspace.h): no suppression, quota or limit of a workspace
   concerns it, and no list, figure or webhook has it. Outbox, relays and retries are those of all
   mail. */
#ifndef SUBMIT_SERVICE_MAIL_H
#define SUBMIT_SERVICE_MAIL_H

#include <glib.h>
#include <stdbool.h>

struct service;

/* All is borrowed. html and text are sent as they are. */
struct submit_service_mail {
	const char *to, *subject, *html, *text;
	const GPtrArray *senders; /* of struct store_user_workspace: in their order, the first that
				     has a default sender in a domain of its own that may send is
				     the sender, unless [service] sender is */
};

/* Stores the mail, and makes an attempt to deliver it in sync mode. Mail of [service] sender is
   signed where a workspace has its domain, verified. INVALID when none can be the sender; errors of
   db/statement.h and of submit_send_draft. */
bool submit_service_mail_send(
    struct service *service, const struct submit_service_mail *mail, GError **error);

#endif
