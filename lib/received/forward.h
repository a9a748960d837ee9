/* SPDX-License-Identifier: MIT */
/* Received mail on its way to others, as an email of ours, so that neither SPF nor DKIM nor DMARC
   refuses it: the sender is the address to which it came, and the writer stands in Reply-To. */
#ifndef RECEIVED_FORWARD_H
#define RECEIVED_FORWARD_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct email_draft;
struct json;
struct service;

struct received_forwarding {
	const void *data; /* the message */
	gsize size;
	const char *from;	  /* the writer with a name; NULL: none */
	const char *from_address; /* the address alone; NULL: none */
	const char *reply_to;	  /* a list; NULL: none */
	const char *came_to;	  /* the address to which it came */
	const char *sender;	  /* that of the new From */
	const char *const *to;	  /* NULL-terminated */
};

/* Makes the email. INVALID, FORBIDDEN, LIMITED and other errors of email_draft_new and
   service_quota_check. The caller frees it. */
struct email_draft *received_forward_draft(struct service *service, const struct base_id *workspace,
    const struct received_forwarding *forwarding, GError **error);

/* The sender and the recipients of a stored mail that is forwarded. */
struct received_forward_wish {
	const char *from;      /* an address of the workspace; NULL: the one to which it came */
	const char *const *to; /* NULL-terminated */
};

/* Forwards a mail that is stored. id_r is that of the email. INVALID, NOT_FOUND, and errors as
   above. */
bool received_forward(struct service *service, const struct base_id *workspace,
    const struct base_id *received, const struct received_forward_wish *wish, struct base_id *id_r,
    GError **error);

#endif
