/* SPDX-License-Identifier: MIT */
/* One request from its arrival to the end of its reply. */
#ifndef FCGI_API_TRANSACTION_H
#define FCGI_API_TRANSACTION_H

#include <glib.h>
#include <stdbool.h>

#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "service/large.h"
#include "fcgi/http/reply.h"
#include "fcgi/http/request.h"

struct service;
struct service_once;
struct db;
struct fcgi_auth;
struct fcgi_io;

/* The steps are: new, admit, read, check, store (or, for many, service_once_store_together and
   answer) and finish. A step that returns false is followed by finish. */
struct fcgi_exchange {
	struct fcgi_auth *auth;
	struct fcgi_io *io;
	const struct fcgi_front *front;
	struct fcgi_request request;
	struct fcgi_route_match match;
	struct service_large large;
	struct fcgi_reply reply;
	struct service *service; /* of the process */
	struct service *guarded; /* the same for this request alone: its first statement confirms
				    the key. NULL: nothing is to be confirmed */
	struct fcgi_call call;	 /* its service is guarded, or service */
	struct service_once *stored; /* what is to be stored; NULL: nothing */
	bool is_admitted;	     /* the key is checked */
	bool has_waited;	     /* since then: it is checked again */
	bool is_read;
	bool is_stored; /* it is: the rest is done after the reply */
	GError *error;
	gint64 begun; /* on base_clock_boot_ns */
	guint64 rows; /* that the database has returned */
};

/* Finds the route of a request. fcgi_exchange_finish ends and frees it. */
struct fcgi_exchange *fcgi_exchange_new(
    struct service *service, struct fcgi_auth *auth, struct fcgi_io *io);

/* The steps by which the route stores a request; NULL when it has a handler, or when there is no
   route. */
const struct fcgi_storing *fcgi_exchange_storing(const struct fcgi_exchange *exchange);

/* Checks key and rates. */
bool fcgi_exchange_admit(struct fcgi_exchange *exchange);

/* Whether a request that is admitted has announced a body that needs memory (service/large.h). */
bool fcgi_exchange_is_large(const struct fcgi_exchange *exchange);

/* Reads the body, and checks size and names. */
bool fcgi_exchange_read(struct fcgi_exchange *exchange);

/* Whether the key of the request has still to be confirmed. */
bool fcgi_exchange_is_unconfirmed(const struct fcgi_exchange *exchange);

/* Says that it was confirmed with a statement for several requests. */
void fcgi_exchange_note_confirmed(struct fcgi_exchange *exchange);

/* Runs the handler, or checks the request that is to be stored. True when there is something to
   store. Of a request that has waited, the key or the session is checked once more. */
bool fcgi_exchange_check(struct fcgi_exchange *exchange);

/* Stores the request by itself, and fills the reply. */
void fcgi_exchange_store(struct fcgi_exchange *exchange);

/* Fills the reply of a request that is stored. */
void fcgi_exchange_answer(struct fcgi_exchange *exchange);

/* Inside the transaction that stores the request: notes its change in the audit. */
bool fcgi_exchange_audit_within(
    struct db *db, const struct fcgi_exchange *exchange, GError **error);

/* Notes in the audit which requests of a group have changed something. */
void fcgi_exchange_audit(struct service *service, struct fcgi_exchange *const *group, guint count);

/* Sends the reply, does the work that the handler left for after it, and frees the exchange.
   Failures are replied or logged. */
void fcgi_exchange_finish(struct fcgi_exchange *exchange);

#endif
