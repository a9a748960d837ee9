/* SPDX-License-Identifier: MIT */
/* Mail that comes in: which addresses take it, and its way into the database.

   1. Each recipient of a message has a route, which received_route_find reads: that of a receiving
   domain, or that of the address for replies to one of our emails. A domain may stand in several
   workspaces; then each of them gets a mail of its own.
   2. received_take reads the message in a confined child, and stores everything in one transaction:
   what is known already is found by a unique key (Message-ID, body and recipient), the mail with
   its parts, the emails by which it is forwarded, and the events.
   3. It has been taken once COMMIT has answered. A message that is given again changes nothing. */
#ifndef RECEIVED_DOOR_H
#define RECEIVED_DOOR_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct received_reader;
struct service;

/* The facts of a session, for the Received field and for `envelope`. Texts are borrowed, checked by
   the caller (printable ASCII), NULL where there is none. */
struct received_session {
	const char *hostname; /* ours */
	const char *helo;     /* as the client said it */
	bool is_plain;	      /* in HELO, not in EHLO */
	const char *address;  /* the client's, "192.0.2.1" or "2001:db8::1"; NULL: a pipe, a Unix
				 socket */
	const char *tls;      /* "TLSv1.3"; NULL: no TLS */
	bool is_pipe;	      /* posthouse receive: Authentication-Results are believed, and no
				 field is put in front */
	struct received_reader *reader; /* NULL: each message has a child of its own */
};

enum received_decision {
	RECEIVED_ROUTE,	  /* it is taken: *route_r is set */
	RECEIVED_REFUSED, /* *reply_r is the whole line: "550 5.1.1 No such address here" */
	RECEIVED_STRANGE, /* it is of no domain or host of ours that receives */
	RECEIVED_FAILED,  /* the database cannot be asked; error is set */
};

/* A recipient that is taken. */
struct received_route;
void received_route_free(struct received_route *route);
DEFINE_AUTO(received_route, received_route_free)

/* Whether its mail is dropped. */
bool received_route_drops(const struct received_route *route);

/* Decides about a recipient. address is in normal form (mail/address.h), and no b+, u+, c+ or d+
   address of ours. The caller frees *route_r, or *reply_r. */
enum received_decision received_route_find(struct service *service, const char *address,
    struct received_route **route_r, char **reply_r, GError **error);

/* A message. All borrowed. */
struct received_taking {
	const char *sender;		      /* of the envelope, "" for none */
	struct received_route *const *routes; /* the recipients, each once */
	guint count;			      /* of routes */
	const void *data;
	gsize size; /* of data */
};

/* Takes a message for its recipients, and writes the reply: "250 2.0.0 stored as ID", "250
   2.0.0 recorded" (dropped, or known), "550 5.7.1 Message looks like spam", "452 4.2.2 Quota
   reached: at most 5 messages per day". *id_r: of the first mail that was stored, else zero. False
   with an error of db/transaction.h: it may be given again.
 */
bool received_take(struct service *service, const struct received_session *session,
    const struct received_taking *message, GString *reply, struct base_id *id_r, GError **error);

#endif
