/* SPDX-License-Identifier: MIT */
/* The record of who changed what over HTTP (GET /v1/audit). */
#ifndef FCGI_API_AUDIT_H
#define FCGI_API_AUDIT_H

#include <glib.h>
#include <stdbool.h>

#include "store/workspace/audit.h"
#include "text/network.h"

struct service;
struct db;
struct fcgi_call;

/* The client of a call, for a row of the audit: actor, address and request; action is mostly that
   of the route. It borrows from the call and from text_r. */
struct store_audit fcgi_audit_client(
    const struct fcgi_call *call, const char *action, char text_r[ADDRESS_TEXT_SIZE]);

/* Before the handler of a route that deletes something: reads its name, which is gone afterwards. A
   failure is logged. */
void fcgi_audit_foresee(struct fcgi_call *call);

/* Deferred: a change that a call makes in this transaction, and that is answered with this JSON.
   Nothing where the audit has nothing of it. */
bool fcgi_audit_write(
    struct db *db, const struct fcgi_call *call, const char *answer, GError **error);

/* Stores the changes that these calls have made, if they have a successful reply: in one
   transaction, after those of the changes. A failure is logged. */
void fcgi_audit_store(struct service *service, struct fcgi_call *const *calls, guint count);

/* Stores a row of a route that stores in the audit itself, outside of a transaction, also after a
   failure of the database. A failure is logged. */
void fcgi_audit_store_own(struct service *service, struct store_audit *audit);

#endif
