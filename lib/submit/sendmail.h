/* SPDX-License-Identifier: MIT */
/* Accepts messages that another program has composed, as sendmail(8) does. */
#ifndef SUBMIT_SENDMAIL_H
#define SUBMIT_SENDMAIL_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct json;
struct service;
struct service_idempotency;
struct submit_sending;
struct store_workspace;

/* A message, and what the command line says of it. Texts are any bytes, NULL where not given. */
struct submit_sendmail {
	const void *data;
	gsize size;
	char *const *recipients; /* NULL-terminated, or NULL */
	bool reads_recipients;	 /* those of To, Cc and Bcc, too */
	const char *sender;	 /* the address where the message has no From; NULL: the
				    workspace's default sender */
	const char *name;	 /* of that sender */

	/* Clients of the SMTP door have these; 0 and NULL where not given. All is borrowed. */
	bool checks_fields;	 /* From must be an address, To and Cc lists, which may be empty */
	const struct json *tags; /* as of an email_submission */
	gint64 scheduled_at;	 /* epoch ms */
	const struct base_id *only_domain;
	const struct service_idempotency *idempotency;
};

/* The workspace of a message where none is named: the only one, or of several the one to which the
   registered domain of its sender belongs, if that is one. Errors of store_workspace_find with the
   name NULL: INVALID where that does not tell which. The caller frees it. */
struct store_workspace *submit_sendmail_workspace(
    struct service *service, const struct submit_sendmail *given, GError **error);

/* Checks a message, which may be freed then; makes a request to store it, which is not attempted at
   once. Its recipients are transactional mail's, and are not tracked. A From without a domain, as
   cron writes it, counts as none unless fields are checked. Header
   fields that steer a provider (mail/steering.h) are taken out, and named in left_out, unless all
   relays of the sender's domain take them. INVALID when the message has no header, more than
   LIMIT_RAW_BYTES, no recipient, more than LIMIT_RECIPIENTS of them, no sender, or a bad address;
   other errors of submit_send_check. The caller frees it with service_once_free. */
struct submit_sending *submit_sendmail_check(struct service *service,
    const struct base_id *workspace, const struct submit_sendmail *given, GError **error);

#endif
